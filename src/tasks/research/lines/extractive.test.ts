import { afterAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../../model/index.ts';
import { files, openTestStore, runTrialWithoutModel } from '../research.contract.ts';
import { researchRun } from '../run.ts';
import { scriptedMaterial } from '../scripted.ts';
import { identifiersIn, parts, stem, termsOf } from './terms.ts';

const { store, close } = openTestStore();
afterAll(close);

describe('an answer without a model', () => {
  it('says so, names the right files and quotes the right lines, each with its citation', async () => {
    const { result, events } = await runTrialWithoutModel(store, {});
    const [first, ...rest] = result.answer.split('\n');
    expect(first).toMatch(/^No model was used/);
    expect(rest.join('\n')).toMatch(
      /- src\/session\.py:8 `def expire_sessions\(self, now\):` \[ev-[0-9a-f]{10}\]/,
    );
    expect(rest.join('\n')).toMatch(/- src\/server\.py:\d+ /);
    for (const line of rest.filter((one) => one !== '')) expect(line).toMatch(/\[ev-[0-9a-f]{10}\]$/);
    expect(result.status).toBe('quotes');
    expect(result.stop_reason).toBe('finalized');
    expect(result.model).toBe('extractive');
    expect(result.confidence).toBeNull();
    expect(result.spent).toMatchObject({ tokens: 0, usd: 0, calls: 0 });
    expect(events.filter(({ event }) => event.kind === 'model_called')).toEqual([]);
    expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
  });

  it('is the same by the graph', async () => {
    const loop = await runTrialWithoutModel(store, {});
    const graph = await runTrialWithoutModel(store, { setting: { form: 'graph' } });
    expect(graph.result.answer).toBe(loop.result.answer);
    expect(graph.events.map(({ key }) => key)).toEqual(loop.events.map(({ key }) => key));
  });

  it('works without any optional port', async () => {
    const { search, text } = scriptedMaterial({ files });
    const { result } = await runTrialWithoutModel(store, { material: { search, text } });
    expect(result.status).toBe('quotes');
    expect(result.answer).toContain('src/session.py');
  });

  it('keeps to its scope', async () => {
    const { result } = await runTrialWithoutModel(store, { scope: 'docs' });
    expect(result.citations.map(({ path }) => path)).toEqual(['docs/guide.md']);
  });

  for (let steps = 1; steps <= 6; steps += 1)
    it(`answers in ${steps} steps`, async () => {
      const { result } = await runTrialWithoutModel(store, { limits: { steps } });
      expect(result.spent.steps).toBeLessThanOrEqual(steps);
      expect(result.answer).toContain('src/session.py');
    });

  it('says that nothing was found', async () => {
    const { result } = await runTrialWithoutModel(store, { question: 'zebra crossing quagga?' });
    expect(result.answer).toMatch(/No model was used\. Nothing was found/);
    expect(result.status).toBe('not_found');
    expect(result.citations).toEqual([]);
  });

  describe('a word of the question that no file has', () => {
    const ferries = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `src/ferry_${n}.py`,
        n % 5 === 0
          ? `def board_ferry_${n}(passengers, deck):\n    return passengers.wait_for(deck)\n`
          : `def moor_ferry_${n}(rope):\n    return rope\n`,
      ]),
    );
    const coverage = { files: 30, skipped: 0, completeness: 'complete', notes: [] } as const;
    const material = () => scriptedMaterial({ files: ferries, coverage });
    it('is told before the lines', async () => {
      const question = 'Where do passengers of the ferry wait for a deck across it?';
      const { result } = await runTrialWithoutModel(store, { question, material: material() });
      expect(result.status).toBe('quotes');
      expect(result.answer).toMatch(/^"across" stands nowhere\. No model was used: these are the lines/);
      // The program's own sentence is no claim.
      expect(result.claims?.filter(({ text }) => text.includes('across'))).toEqual([]);
      expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
    });
    it('and is the subject ends as not found, whatever the material is called', async () => {
      const question = 'How does the ferry replicate passengers?';
      const { result } = await runTrialWithoutModel(store, { question, material: material() });
      expect(result).toMatchObject({ status: 'not_found', citations: [] });
      expect(result.answer).toContain('"replicate" stands nowhere.');
      expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
    });
  });

  it('stays small whatever it is shown', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `src/deeply/nested/folder/with/a/long/name/number_${n}/session_store_expire_${n}.py`,
        `def expire_session_${n}(SessionStore):\n    """${'expire a session '.repeat(40)}"""\n`,
      ]),
    );
    const { result } = await runTrialWithoutModel(store, { material: scriptedMaterial({ files: many }) });
    expect(countTokens(result.answer)).toBeLessThan(800);
    expect(Buffer.byteLength(result.answer)).toBeLessThan(4096);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(8192);
    expect(result.citations.length).toBeGreaterThan(3);
  });

  it('quotes code that holds backticks as it stands', async () => {
    const material = scriptedMaterial({
      files: { 'a.ts': 'const session = `expires in an hour`; // when does SessionStore expire' },
    });
    const { result } = await runTrialWithoutModel(store, { material });
    expect(result.answer).toContain(
      '`` const session = `expires in an hour`; // when does SessionStore expire ``',
    );
    expect(result.status).toBe('quotes');
  });
});

describe('terms', () => {
  const split: readonly (readonly [string, readonly string[]])[] = [
    ['makeHTTPResponse', ['make', 'http', 'response']],
    ['make_http_response', ['make', 'http', 'response']],
    ['ENSURE_ASCII', ['ensure', 'ascii']],
    ['utf8Reader', ['utf8', 'reader']],
  ];
  it.each(split)('%s has the parts %j', (identifier, expected) =>
    expect(parts(identifier)).toEqual(expected),
  );

  const same: readonly (readonly [string, string])[] = [
    ['registered', 'register'],
    ['saved', 'save'],
    ['classes', 'class'],
    ['sessions', 'session'],
    ['parsing', 'parser'],
    ['validation', 'validate'],
  ];
  it.each(same)('%s meets %s', (one, other) => expect(stem(one)).toBe(stem(other)));

  const named: readonly (readonly [string, readonly string[]])[] = [
    [
      'Why does `get_host()` of MockRequest call app.make_response?',
      ['get_host', 'MockRequest', 'make_response'],
    ],
    ['How are cookies stored?', []],
    ['What does HTTPAdapter.send do when TLS fails?', ['HTTPAdapter', 'send']],
  ];
  it.each(named)('%s names %j', (text, expected) => {
    const names = identifiersIn(text).map(({ name }) => name);
    for (const name of expected) expect(names).toContain(name);
    if (expected.length === 0) expect(names).toEqual([]);
  });

  it('common words are no terms', () => {
    expect(termsOf('How does the session get saved?')).toEqual(['sess', 'sav']);
  });
});
