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
