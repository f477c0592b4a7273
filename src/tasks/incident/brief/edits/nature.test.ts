/** What a change does by its diff alone, and what looks like it. */
import { expect, it } from 'vitest';
import { classifyChange } from './nature.ts';

const kindOf = (diff: string) => classifyChange({ paths: ['shop/holds.ts'], title: 'x', diff }).kind;

it('a type that is called by another name everywhere does the same', () => {
  const renamed =
    '-export class HoldKeeper {\n-  new HoldKeeper(repo)\n+export class Holds {\n+  new Holds(repo)';
  expect(kindOf(renamed)).toBe('rewrite');
  expect(kindOf(`${renamed}\n-  limit = 40\n+  limit = 4`)).toBe('other');
});

it('a line more in the log where an error is caught only tells, and more than that is more', () => {
  const caught =
    '-        Err(_) => Err(Refused),\n+        Err(e) => {\n+            tracing::warn!(reason = %e, "refused");\n+            Err(Refused)\n+        }';
  const caughtInJs =
    '-  } catch {\n-    return null;\n+  } catch (error) {\n+    logger.warn({ error }, "gone");\n+    return null;';
  expect(kindOf(caught)).toBe('logging');
  expect(kindOf(caughtInJs)).toBe('logging');
  expect(kindOf(caught.replace('+            Err(Refused)', '+            Ok(Guest)'))).not.toBe('logging');
  expect(kindOf(caughtInJs.replace('+    return null', '+    return refuse(hold)'))).not.toBe('logging');
});

it('a call that logs is one over several lines and as a macro too, and what is beside it is none', () => {
  const overLines =
    "-    log.warning('offered %s', depot)\n+    log.info('offered %s until %s',\n+             depot, until)";
  const macro = '-    warn!(conn = id, "aborted");\n+    warn!(conn = id, err = ?e, "aborted");';
  expect([overLines, macro].map(kindOf)).toEqual(['logging', 'logging']);
  expect(kindOf(`${overLines}\n+    offer(depot, until)`)).not.toBe('logging');
  expect(kindOf(macro.replaceAll('warn!', 'refuse!'))).not.toBe('logging');
});

it('what documents nothing runs, and a service that is called docs does', () => {
  const of = (path: string) =>
    classifyChange({ paths: [path], title: 'x', diff: '-  limit = 40\n+  limit = 4' }).kind;
  expect(['services/docs/src/acl/check.ts', 'docs/src/server.ts', 'apps/docs/cache.go'].map(of)).toEqual(
    Array(3).fill('other'),
  );
  expect(['docs/design/acl.ts', 'services/shop/docs/acl.ts', 'docs/conf.py'].map(of)).toEqual(
    Array(3).fill('inert'),
  );
});
