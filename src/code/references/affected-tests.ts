/** Which tests depend on a change, and the commands that run them. */
import type { ImpactRow, TestOfSymbol } from '../../core/index.ts';
import type { Survey } from './survey.ts';

const isTestFile = (path: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|spec|t)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$|_test\.\w+$/i.test(
    path,
  );

/** Tests that use what changed, and changed tests. */
export async function findTests(
  survey: Survey,
  rows: readonly ImpactRow[],
  changed: readonly { readonly path: string; readonly symbol: string; readonly change: string }[],
): Promise<readonly TestOfSymbol[]> {
  const testsByKey = new Map<string, TestOfSymbol>();
  const changedTests = changed
    .filter((one) => one.change !== 'removed' && one.change !== 'asked' && isTest(one))
    .map(({ path, symbol }) => ({ path, enclosing: symbol }));
  for (const { path, enclosing } of [...changedTests, ...rows]) {
    // A helper for tests is not a test itself: the next step finds the tests that use it.
    if (!isTest({ path, symbol: enclosing })) continue;
    const name = enclosing?.slice(path.length + 1) ?? path;
    const key = `${path}#${name}`;
    if (!testsByKey.has(key)) testsByKey.set(key, { path, name, ...(await testCommand(survey, path, name)) });
  }
  return [...testsByKey.values()];
}

/** Whether this is a test, by the naming rules of its language. In other test files, the whole file is one test. */
export function isTest({ path, symbol }: { readonly path: string; readonly symbol: string | null }): boolean {
  if (!isTestFile(path) && !/#(?:.*\.)?(?:test_|Test)\w*$|\.rs#tests?\./.test(symbol ?? '')) return false;
  const parts = symbol?.slice(path.length + 1).split('.') ?? [];
  const lastName = parts.at(-1) ?? '';
  if (path.endsWith('.py'))
    return /^test/i.test(lastName) || (/^Test\w*$/.test(parts[0] ?? '') && parts.length === 1);
  if (path.endsWith('.go')) return /^(?:Test|Fuzz|Example|Benchmark)/.test(lastName);
  if (path.endsWith('.java') || path.endsWith('.kt') || path.endsWith('.cs')) return parts.length > 1;
  return true;
}

const quoteArgument = (text: string): string =>
  /^[\w./:^$-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Follows the conventions of each language. */
async function testCommand(
  survey: Survey,
  path: string,
  name: string,
): Promise<{ readonly command?: string }> {
  const lastName = name.split('.').at(-1) ?? name;
  if (path.endsWith('.py'))
    return { command: `pytest ${quoteArgument(`${path}::${name.replaceAll('.', '::')}`)}` };
  if (path.endsWith('_test.go'))
    return /^(?:Test|Fuzz|Example)/.test(lastName)
      ? { command: `go test ${quoteArgument(`./${folderOf(path)}`)} -run ${quoteArgument(`^${lastName}$`)}` }
      : {};
  if (path.endsWith('.rs') && name !== path) return { command: `cargo test ${quoteArgument(lastName)}` };
  if (/\.[mc]?[jt]sx?$/.test(path)) {
    const runner = await findRunner(survey, path);
    return runner === null ? {} : { command: `${runner} ${quoteArgument(path)}` };
  }
  return {};
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

const runners = { vitest: 'npx vitest run', jest: 'npx jest', mocha: 'npx mocha', ava: 'npx ava' } as const;

/** For TypeScript and JavaScript: the test runner of the package; null if it does not accept paths. */
async function findRunner(survey: Survey, path: string): Promise<string | null> {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const text = await survey.readText(`${folder === '' ? '' : `${folder}/`}package.json`);
    for (const [name, command] of Object.entries(runners))
      if (text !== null && new RegExp(`"${name}"\\s*:`).test(text)) return command;
    if (folder === '') return null;
  }
}
