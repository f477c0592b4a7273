import { afterAll, expect, it } from 'vitest';
import { syntaxReader } from '../../code/index.ts';
import { memorySymbols } from '../../code/memory-tree.contract.ts';
import { files, openTestStore, runTrial } from './research.contract.ts';
import { scriptedMaterial } from './scripted.ts';

const research = openTestStore();
const syntax = syntaxReader();
afterAll(async () => {
  research.close();
  await syntax.close();
});

const answered = { answer: 'It was looked at.', confidence: 0.5 };
const script = [{ reasoning: '', action: { name: 'finalize', ...answered } }];

it('a research begins with folders, and with what the files of its first search define', async () => {
  const material = { ...scriptedMaterial({ files }), symbols: memorySymbols(files, syntax) };
  const { model } = await runTrial(research.store, { script, material });
  const said = JSON.stringify(model.calls[0]);
  expect(said).toContain('Folders and definitions');
  expect(said).toMatch(/src\/ 2/);
  expect(said).toContain('src/session.py defines');
  expect(said).toMatch(/src\/session\.py defines .*\.expire_sessions 8-12/);
  expect(said).not.toMatch(/secret\/keys.txt defines/);
});

it('within its scope alone', async () => {
  const material = { ...scriptedMaterial({ files }), symbols: memorySymbols(files, syntax) };
  const { model } = await runTrial(research.store, { script, material, scope: 'docs/**' });
  const said = JSON.stringify(model.calls[0]);
  expect(said).toContain('Folders and definitions');
  expect(said).not.toContain('session.py');
});

it('no planner is offered it', async () => {
  const material = { ...scriptedMaterial({ files }), symbols: memorySymbols(files, syntax) };
  const { model } = await runTrial(research.store, { script, material });
  expect(JSON.stringify(model.calls[0])).not.toContain('look_around');
});

it('names what the search does not show, and nothing twice of a file that is generated from another', async () => {
  const pool = (name: string, way: string) =>
    `class ${name}:\n${['expire', 'renew', 'close', 'end', 'wait']
      .map((one) => `    ${way}def ${one}(self):\n        return '${one}'\n`)
      .join('\n')}`;
  const twins = {
    'a/pool.py': pool('AsyncPool', 'async '),
    'b/pool.py': pool('SyncPool', ''),
    'c/other.py': 'def expire_others():\n    return 1\n\ndef other():\n    return 2\n',
  };
  const material = {
    ...scriptedMaterial({
      files: twins,
      search: () => ({
        hits: [
          { path: 'a/pool.py', start: 2, end: 3, score: 3, provenance: 'bm25' },
          { path: 'b/pool.py', start: 2, end: 3, score: 2, provenance: 'bm25' },
          { path: 'c/other.py', start: 1, end: 2, score: 1, provenance: 'bm25' },
        ],
        completeness: 'complete',
        notes: [],
      }),
    }),
    symbols: memorySymbols(twins, syntax),
  };
  const { model } = await runTrial(research.store, { script, material });
  const said = JSON.stringify(model.calls[0]);
  expect(said).toMatch(
    /a\/pool\.py also defines AsyncPool 1-15, \.renew 5-6, \.close 8-9, \.end 11-12, \.wait 14-15\\nc\/other\.py also defines other 4-5/,
  );
  expect(said).not.toContain('b/pool.py also');
});

const told = {
  'src/pool.py': 'def expire_all(pool):\n    return [one.expire() for one in pool]\n',
  'src/clock.py': 'def is_late(now):\n    return now > limit\n',
  'tests/pool_test.py': 'def expire_all_test():\n    expire_all([])\n',
  'src/far.py': 'def far_away():\n    return 0\n',
};
const best = (scores: Readonly<Record<string, number>>) => ({
  search: async () => ({
    hits: Object.entries(scores).map(([path, score]) => ({
      ...{ path, start: 1, end: 2, score, provenance: 'bm25' as const },
    })),
    completeness: 'complete' as const,
    notes: [],
  }),
});

it('begins with the definitions that say most, those of programs before those of tests', async () => {
  const scores = { 'src/pool.py': 1, 'tests/pool_test.py': 0.9, 'src/clock.py': 0.2, 'src/far.py': 0.001 };
  const material = {
    ...scriptedMaterial({ files: told }),
    symbols: memorySymbols(told, syntax),
    definitionSearch: best(scores),
  };
  const { model } = await runTrial(research.store, { script, material });
  const said = JSON.stringify(model.calls[0]);
  const part = /Definitions that say most about the question(.*?)## Search/.exec(said)?.[1] ?? '';
  expect(part).toMatch(/src\/pool\.py:1-2.*src\/clock\.py:1-2/);
  expect(part).not.toMatch(/pool_test|far_away/);
  expect(said).not.toContain('search_definitions');
});

it('not where no syntax is read', async () => {
  const material = { ...scriptedMaterial({ files: told }), definitionSearch: best({ 'src/pool.py': 1 }) };
  const { model } = await runTrial(research.store, { script, material });
  expect(JSON.stringify(model.calls[0])).not.toContain('Definitions that say most');
});
