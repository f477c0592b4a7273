import { afterAll, describe, expect, it } from 'vitest';
import type { NameFinder } from '../../../core/index.ts';
import { files, openTestStore, runTrialWithoutModel } from '../research.contract.ts';
import { researchRun } from '../run.ts';
import { scriptedMaterial } from '../scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

/** Knows the files of the material, and one that searches leave out. */
function finder(): NameFinder & { readonly asked: string[] } {
  const text = Object.values(files).join('\n').toLowerCase();
  const asked: string[] = [];
  return {
    asked,
    async find({ names }) {
      asked.push(...names);
      const elsewhere = names.filter((name) => 'quagga'.startsWith(name));
      return {
        missing: names.filter((name) => !elsewhere.includes(name) && !text.includes(name.toLowerCase())),
        notes: elsewhere.map((name) => `${name} stands only in what searches leave out: dist/a.js`),
      };
    },
  };
}

const material = () => ({ ...scriptedMaterial({ files }), names: finder() });

describe('a name that occurs nowhere', () => {
  it('is the answer, before anything is searched, and the same when it is replayed', async () => {
    const asked = 'Where does SessionStore call `frobnicateWidget`?';
    for (const form of ['loop', 'graph'] as const) {
      const own = material();
      const { result } = await runTrialWithoutModel(store, {
        question: asked,
        material: own,
        setting: { form },
      });
      expect(result).toMatchObject({
        status: 'not_found',
        missing: ['frobnicateWidget'],
        stop_reason: 'finalized',
        citations: [],
        spent: { steps: 0 },
      });
      expect(result.answer).toMatch(/^`frobnicateWidget` occurs in no file, path or commit here\./);
      // Those are never looked into.
      expect(result.answer).toContain('but for files that hold secrets by their name');
      expect(own.names.asked).toEqual(['frobnicateWidget', 'SessionStore']);
      expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
    }
  });

  it('in what was pasted is told, and no reason to refuse', async () => {
    const asked = 'When does a session expire?\n```\nfrobnicateWidget()\n```\nIt says `fooBarBaz`.';
    const { result } = await runTrialWithoutModel(store, { question: asked, material: material() });
    expect(result).toMatchObject({ status: 'quotes', missing: ['fooBarBaz'] });
  });
});

it('before it says that nothing was found, it looks through the rest, and names where words stand', async () => {
  const { result } = await runTrialWithoutModel(store, {
    question: 'zebra crossing quagga?',
    material: material(),
  });
  expect(result.status).toBe('not_found');
  expect(result.coverage.notes.join()).toContain('stands only in what searches leave out: dist/a.js');
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});
