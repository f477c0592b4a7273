import { afterAll, describe, expect, test } from 'vitest';
import { bench, code, runTrial, type Trial, testMaterial } from '../investigation.contract.ts';
import { investigationRun } from '../run.ts';

const open = bench();
afterAll(() => open.close());

const pages: Readonly<Record<string, string>> = {
  'Harbour/Berths.md': '# Berths\nThe harbour has 14 berths.',
  'Harbour/Cranes.md': '# Cranes\nThe crane lifts 20 tons.\nSee Redis.',
  'Town/Market.md': '# Market\nFish on Fridays.',
};
const all = async () => ({
  paths: Object.keys(pages),
  completeness: 'complete' as const,
  notes: ['left out: 2 that the project’s rules ignore (x.o, y.o)'],
});

async function said(answer: string, trial: Trial = {}) {
  const script = [code(`FINAL(${JSON.stringify(answer)})`), code(`FINAL(${JSON.stringify(answer)})`)];
  const given = testMaterial(pages, { paths: all });
  const { result, events, run } = await runTrial(open, {
    ...{ prompt: 'What is said of lights?', script, testMaterial: given },
    ...trial,
  });
  const searches = events.flatMap(({ event }) =>
    event.kind === 'action_finished' && event.action === 'find_absent' ? [event] : [],
  );
  return { result, claim: result.claims![0]!, searches, run };
}

describe('that nothing mentions a thing', () => {
  test('is absent where every text that is listed was looked through, and says over what', async () => {
    const { result, claim, searches } = await said('No page mentions lighthouses.');
    expect(result.status).toBe('verified');
    expect(claim).toMatchObject({
      verdict: 'absent',
      why: 'The search for "lighthouses" over everything, 3 texts; left out: 2 that the project’s rules ignore (x.o, y.o), was complete and met nothing.',
    });
    expect(searches.at(-1)).toMatchObject({
      ...{ completeness: 'complete', outcome: 'ok' },
      summary: expect.stringMatching(/^over 3 texts; .*: met nothing$/),
    });
  });

  test('is contradicted where one does, and names it', async () => {
    const { claim } = await said('No page mentions Redis.');
    expect(claim).toMatchObject({
      verdict: 'contradicted',
      why: 'The search for "Redis" met 1 line: Harbour/Cranes.md:3.',
    });
  });

  test('holds of a folder by itself', async () => {
    const { claim } = await said('No page under Town mentions Redis.');
    expect(claim).toMatchObject({ verdict: 'absent', why: expect.stringContaining('over Town, 1 text') });
  });

  test.each<[string, Trial, string]>([
    ['a folder was out of scope', { scope: 'Harbour/**' }, 'over Harbour/** left out what is outside of it'],
    [
      'a text can not be read',
      {
        testMaterial: testMaterial(pages, {
          paths: async () => ({ ...(await all()), paths: [...Object.keys(pages), 'Gone.md'] }),
        }),
      },
      'was not complete: Gone.md does not exist',
    ],
    [
      'the listing left some out',
      {
        testMaterial: testMaterial(pages, {
          paths: async () => ({ ...(await all()), completeness: 'partial', notes: ['1 of more than 4 MB'] }),
        }),
      },
      'was not complete: 1 of more than 4 MB',
    ],
    [
      'nothing can list them',
      {
        testMaterial: (({ paths: _, ...rest }) => rest)(testMaterial(pages)) as Trial['testMaterial'] &
          object,
      },
      'was not complete: the texts of this material can’t be listed',
    ],
    [
      'the caller may not read them',
      { setting: { capabilities: new Set(['SandboxRun'] as const) } },
      'was not complete: the caller lacks the capability CodeRead',
    ],
  ])('is unclear where %s', async (_, trial, why) => {
    const { claim, result } = await said('No page mentions lighthouses.', trial);
    expect(claim).toMatchObject({ verdict: 'unclear', why: expect.stringContaining(why) });
    expect(result.status).toBe('unverified');
  });

  test('is unclear where a text was changed after it was read', async () => {
    const files = { ...pages };
    const given = testMaterial(files, { paths: all });
    let revision = 1;
    const text = {
      readText: async (path: string) => {
        const file = await given.text.readText(path, null);
        return file.kind === 'text'
          ? { ...file, content: { id: path, revision: path.startsWith('Town') ? revision++ : 1 } }
          : file;
      },
    };
    const script = [code('kb_read("Town/Market.md")\nFINAL("No page mentions lighthouses.")')];
    const { claim } = await said('', { script, testMaterial: { ...given, text } });
    expect(claim).toMatchObject({
      verdict: 'unclear',
      why: expect.stringContaining('Town/Market.md was changed after it was read'),
    });
  });

  test('is replayed from what was recorded, without the material', async () => {
    const { run, result } = await said('No page mentions lighthouses.');
    const again = await investigationRun.replay(run, open.store, open.sandbox);
    expect(JSON.stringify(again.result)).toBe(JSON.stringify(result));
  });
});
