import { expect, it } from 'vitest';
import { getDiff, parseDiffsAhead } from './diff.ts';
import { classifyChange } from './nature.ts';

const values = (diff: string) => getDiff(diff).values.map(({ was, is }) => [was, is]);

it.each([
  ['-\tttl: 15 * time.Minute,\n+\tttl: 15 * time.Second,', [[900_000, 15_000]]],
  ['-  timeout: 30s\n+  timeout: 500ms', [[30_000, 500]]],
  ['-    return get(url, timeout=30)\n+    return get(url, timeout=2)', [[30, 2]]],
  ['-    memory: 2Gi\n+    memory: 512Mi', [[2 * 1024 ** 3, 512 * 1024 ** 2]]],
  ['-Duration.ofSeconds(30)\n+Duration.ofMillis(250)', [[30_000, 250]]],
  ['-\tmax = 1_000\n+\tmax = 10', [[1000, 10]]],
  // What it answers with.
  ['-  raise HTTPException(400, "no")\n+  raise HTTPException(409, "no")', []],
  ['-  socket.close(1008, "expired");\n+  socket.close(4401, "expired");', []],
  ['-  res.status(404)\n+  res.status(410)', []],
  // Moved, or another thing altogether.
  ['-\tttl: 15s,\n+\tttl: 15s,', []],
  ['-\tlimit := 5\n+\treturn errors.New("x9")', []],
])('values of %j', (diff, expected) => {
  expect(values(diff)).toEqual(expected);
});

it.each([
  ['docs', ['docs/a.md'], '-a\n+b', 'inert'],
  ['comments', ['a.go'], '-// one\n+// another', 'inert'],
  ['styles', ['web/cart.css'], '-.a { padding: 1px; }\n+.a { padding: 9px; }', 'inert'],
  ['log lines', ['a.go'], '-\tlog.Printf("x %d", n)\n+\tlogger.Info("x",\n+\t\t"n", n,\n+\t)', 'logging'],
  ['an index without a lock', ['m.sql'], '+CREATE INDEX CONCURRENTLY IF NOT EXISTS i\n+  ON t (c);', 'inert'],
  ['a patch of a module', ['go.mod'], '-\tx.org/y v1.2.3\n+\tx.org/y v1.2.4', 'update'],
  [
    'the same in another way',
    ['a.go'],
    '-\titem, err := s.load(ctx, key)\n-\tif err != nil { return nil, err }\n-\treturn item, nil\n+\treturn s.load(ctx, key)',
    'rewrite',
  ],
  [
    'a name given anew',
    ['a.rs'],
    '-fn tok(s: &str) -> V {\n-    tok(rest)\n+fn tokens(s: &str) -> V {\n+    tokens(rest)',
    'rewrite',
  ],
  [
    'something else is used',
    ['a.php'],
    '-  $at->setZone($user->zone)->less(24);\n+  $at->setZone($app->zone)->less(24);',
    'other',
  ],
  [
    'another member, in a line that also goes through a list',
    ['a.js'],
    '-  for (const line of cart.lines) total += line.price.net;\n+  for (const line of cart.lines) total += line.amounts.net;',
    'other',
  ],
  [
    'a call that is gone',
    ['a.ex'],
    '-  code |> trim() |> upcase() |> lookup()\n+  code |> trim() |> lookup()',
    'other',
  ],
  ['a setting', ['a.go'], '-\tttl: 15m\n+\tttl: 15s', 'other'],
  ['a setting without quotation marks', ['a.yaml'], '-  bucket: prices-eu\n+  bucket: prices-all', 'other'],
  ['no diff', ['a.go'], null, 'unread'],
] as const)('%s', (_, paths, diff, kind) => {
  expect(classifyChange({ title: 'tidy', paths, diff }).kind).toBe(kind);
});

it('a change of ten thousand lines is read, each line that changed beside what it became', () => {
  const lines = Array.from(
    { length: 10_000 },
    (_, n) => `-handler${n}.setLimit(${n})\n+handler${n}.setLimit(${n + 1})`,
  );
  const { removed, pairs } = getDiff(lines.join('\n'));
  expect(removed).toHaveLength(10_000);
  expect(pairs.length).toBeGreaterThan(1_000);
  expect(pairs[0]).toEqual(['handler0.setLimit(0)', 'handler0.setLimit(1)']);
});

// A pattern that can match a backslash in two ways would never end here.
it('reads a line with an open quotation mark and many backslashes', () => {
  const { code } = getDiff(`+call("${'\\x'.repeat(5_000)}`);
  expect(code.added[0]).toContain('call(');
});

it('pairs the lines of a large change as those of a small one', () => {
  const lines = Array.from(
    { length: 1_400 },
    (_, index) => `setting${index}Limit = compute(part${index}, ${index})`,
  );
  const diff = lines.flatMap((line) => [`-${line}`, `+${line.replace('compute', 'computeAll')}`]).join('\n');
  const { pairs } = getDiff(diff);
  expect(pairs).toHaveLength(1_400);
  expect(pairs.every(([was, is]) => is === was.replace('compute', 'computeAll'))).toBe(true);
});

it('lets others run between two large diffs', async () => {
  const order: string[] = [];
  const ahead = parseDiffsAhead([{ diff: '+first = 1' }, { diff: null }, { diff: '+second = 2' }]);
  setImmediate(() => order.push('other'));
  await ahead.then(() => order.push('parsed'));
  expect(order).toEqual(['other', 'parsed']);
});
