/** What a planner is shown before it asks for anything, over material in which much repeats itself. */
import { afterAll, describe, expect, it } from 'vitest';
import { type ModelRequest, scriptedModel } from '../../../model/index.ts';
import { answer, answerFromPage, openTestStore, runTrial, withoutWaiting } from '../research.contract.ts';
import { researchRun } from '../run.ts';
import { scriptedMaterial } from '../scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const message = 'The %s extension is required at version %s, and cannot be loaded';
const helper = Array.from({ length: 30 }, (_, n) => `  const step${n} = prepare(${n}, extension);`);
const source = ['function checkVersion(extension) {', ...helper, `  throw new Error('${message}');`, '}'];
const files = {
  'app/locale/fr/LC_MESSAGES/app.po': `msgid "${message}"\nmsgstr "non"`,
  'app/locale/app.pot': `msgid ""\nmsgid "${message}"\nmsgstr ""`,
  'tests/version.test.ts': `it('throws', () => expect(run).toThrow('${message}'));`,
  'src/version.ts': ['// first', ...source, '// last'].join('\n'),
  'out/version.js': ["'use strict';", ...source].join('\n'),
  'src/other.ts': 'export function unlike(extension) {\n  return extension.version;\n}',
};
/** Worst first, as a search by words may rank them. */
const material = (more: Readonly<Record<string, string>> = {}) => {
  const all: Record<string, string> = { ...files, ...more };
  return scriptedMaterial({
    files: all,
    search: () => ({
      hits: Object.entries(all).map(([path, text], n) => ({
        path,
        start: Math.max(1, text.split('\n').length - 4),
        end: text.split('\n').length,
        score: 9 - n,
        provenance: 'bm25',
      })),
      completeness: 'partial',
      notes: [],
    }),
  });
};

async function firstPage(question: string, over = material()): Promise<string> {
  const model = scriptedModel((request) => answer(answerFromPage(pageOf(request))) as never);
  const models = { planner: model, analyst: model };
  await researchRun.start(
    { question, root: '/material' },
    { store, models, material: over, ...withoutWaiting },
  );
  return pageOf(model.calls[0] as ModelRequest);
}

const pageOf = ({ messages }: ModelRequest) => messages.map(({ text }) => text).join('\n');
const inFull = (page: string) =>
  [...page.matchAll(/source="ev-[0-9a-f]{10} ([^"]+)"/g)].map(([, place]) => place);
const byLine = (page: string) =>
  [...page.matchAll(/^ev-[0-9a-f]{10} (\S+?):\d+(?: \(in [\d-]+\))?(\||.*)/gm)].map(([, path]) => path);

it('the best places stand as whole blocks, and what repeats them or only speaks of them as a line', async () => {
  const page = await firstPage(`Why is it said: ${message}?`);
  expect(inFull(page)).toEqual(['src/version.ts:1-34', 'src/other.ts:1-3', 'tests/version.test.ts:1-1']);
  expect(byLine(page)).toEqual(['out/version.js', 'app/locale/fr/LC_MESSAGES/app.po', 'app/locale/app.pot']);
  expect(page).toMatch(/app\.pot:2.* the same text again$/m);
  expect(page).not.toContain('(bm25)');
});

it('each of them can be cited', async () => {
  const { result } = await runTrial(store, {
    material: material(),
    script: (request) => {
      const [, id] = /^(ev-[0-9a-f]{10}) app\/locale\/app\.pot/m.exec(pageOf(request)) ?? [];
      return answer(`It is a message that is translated [${id}].`) as never;
    },
  });
  expect(result.citations).toMatchObject([{ path: 'app/locale/app.pot', status: 'valid' }]);
});

describe('names of the question that are looked up unasked', () => {
  const defined = (name: string) => `## Definition of ${name}`;
  it('a rare one is shown', async () => {
    expect(await firstPage('What does `checkVersion` do?')).toContain(defined('checkVersion'));
  });
  it('nothing is said of one that is defined nowhere, in tests alone, or all over the place', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 6 }, (_, n) => [`src/m${n}.ts`, 'function handleIt() {\n  return 1;\n}']),
    );
    const page = await firstPage(
      'How do `nowhere_at_all`, `testOnly` and `handleIt` work?',
      material({ ...many, 'tests/a.test.ts': 'function testOnly() {\n  return 1;\n}' }),
    );
    expect(page).not.toContain('## Definition of');
    expect(page).not.toContain('no definition');
  });
});
