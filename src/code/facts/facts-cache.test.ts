import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { syntaxReader } from '../syntax/reader.ts';
import { type FileFacts, packUses } from './facts.ts';
import { openFactsCache } from './facts-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-facts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const facts: FileFacts = {
  language: 'python',
  errors: [],
  package: '',
  definitions: [],
  imports: [{ local: 'a', module: 'a', name: '*', line: 1 }],
  exports: [],
  fields: [],
  uses: packUses([
    {
      name: 'f',
      line: 3,
      column: 1,
      role: 'call',
      receiver: 'a',
      binding: { kind: 'import', index: 0 },
      within: -1,
    },
  ]),
};

it('gives facts back as they were, by their key alone', () => {
  const kept = openFactsCache(folder);
  expect(kept.get('one')).toBeNull();
  kept.set('one', facts);
  expect(openFactsCache(folder).get('one')).toEqual(facts);
  expect(kept.get('two')).toBeNull();
});

it('has nothing where a file is damaged, or the folder cannot be written', () => {
  const kept = openFactsCache(folder);
  kept.set('one', facts);
  const [name] = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  writeFileSync(join(name!.parentPath, name!.name), 'damaged');
  expect(kept.get('one')).toBeNull();
  const nowhere = openFactsCache(join(name!.parentPath, name!.name, 'no folder'));
  nowhere.set('one', facts);
  expect(nowhere.get('one')).toBeNull();
});

it('spares a reader the thread', async () => {
  const asked: string[] = [];
  const reader = syntaxReader({
    timeoutMs: 0,
    cache: {
      get: (key) => {
        asked.push(key);
        return facts;
      },
      set: () => {},
    },
  });
  expect(await reader.read('a.py', 'a.f()\n')).toEqual({ kind: 'facts', facts });
  expect(await reader.read('b.py', 'a.f()\n')).toEqual({ kind: 'facts', facts });
  expect(asked).toHaveLength(1);
  await reader.close();
});
