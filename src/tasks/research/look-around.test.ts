import { afterAll, expect, it } from 'vitest';
import { syntaxReader } from '../../code/index.ts';
import { memorySymbols } from '../../code/memory-tree.contract.ts';
import { bench, files, tried } from './research.contract.ts';
import { scriptedMaterial } from './scripted.ts';

const research = bench();
const syntax = syntaxReader();
afterAll(async () => {
  research.close();
  await syntax.close();
});

const answered = { answer: 'It was looked at.', confidence: 0.5 };
const script = [{ reasoning: '', action: { name: 'finalize', ...answered } }];

it('a research begins with folders, and with what the files of its first search define', async () => {
  const material = { ...scriptedMaterial({ files }), symbols: memorySymbols(files, syntax) };
  const { model } = await tried(research.store, { script, material });
  const said = JSON.stringify(model.calls[0]);
  expect(said).toContain('Folders and definitions');
  expect(said).toMatch(/src\/ 2/);
  expect(said).toContain('src/session.py defines');
  expect(said).toMatch(/src\/session\.py defines .*\.expire_sessions 8-12/);
  expect(said).not.toMatch(/secret\/keys.txt defines/);
});

it('within its scope alone', async () => {
  const material = { ...scriptedMaterial({ files }), symbols: memorySymbols(files, syntax) };
  const { model } = await tried(research.store, { script, material, scope: 'docs/**' });
  const said = JSON.stringify(model.calls[0]);
  expect(said).toContain('Folders and definitions');
  expect(said).not.toContain('session.py');
});

it('no planner is offered it', async () => {
  const material = { ...scriptedMaterial({ files }), symbols: memorySymbols(files, syntax) };
  const { model } = await tried(research.store, { script, material });
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
  const { model } = await tried(research.store, { script, material });
  const said = JSON.stringify(model.calls[0]);
  expect(said).toMatch(
    /a\/pool\.py also defines AsyncPool 1-15, \.renew 5-6, \.close 8-9, \.end 11-12, \.wait 14-15\\nc\/other\.py also defines other 4-5/,
  );
  expect(said).not.toContain('b/pool.py also');
});
