/** The reader of a run's claims, and what goes back to their author. */
import { afterAll, expect, it } from 'vitest';
import { type Model, type ModelRequest, type Script, scriptedModel } from '../../model/index.ts';
import {
  answer,
  files,
  open,
  openTestStore,
  question,
  runTrial,
  withoutWaiting,
} from '../research/research.contract.ts';
import { researchRun } from '../research/run.ts';
import { scriptedMaterial } from '../research/scripted.ts';
import { claimsPage } from './read-claims.ts';

const { store, close } = openTestStore();
afterAll(close);

const look = open('src/session.py', 8, 12);
const pageOf = ({ messages }: ModelRequest) => messages.map(({ text }) => text).join('\n');
/** A piece that was shown, with the line that drops a session. */
function cited(request: ModelRequest): string {
  const [before = ''] = pageOf(request).split('del self.sessions[key]');
  return [...before.matchAll(/source="(ev-[0-9a-f]{10})/g)].at(-1)?.[1] ?? 'ev-0000000000';
}

/** Looks, then answers with each text in turn; `ID` is a piece that was shown. */
const planner =
  (...answers: readonly string[]): Script =>
  (request, call) =>
    (call === 0
      ? look
      : answer((answers[call - 1] ?? answers.at(-1)!).replaceAll('ID', cited(request)))) as never;

const paraphrase = 'Whatever has outlived its time is thrown away [ID].';
const wrong = 'It happens after 90 minutes [ID].';
const verdicts = (...given: readonly (readonly [id: string, verdict: string])[]) => ({
  verdicts: given.map(([id, verdict]) => ({ id, verdict, why: 'line 12' })),
});

it('a reader carries what code left open, and sees neither the question nor who wrote it', async () => {
  const analyst = scriptedModel([verdicts(['c1', 'supported'])] as never);
  const { result, model } = await runTrial(store, { script: planner(paraphrase), analyst, reader: true });
  expect(result).toMatchObject({
    status: 'verified',
    claims: [{ verdict: 'supported', why: 'A reader: line 12', evidence: [expect.any(String)] }],
  });
  expect(analyst.calls).toHaveLength(1);
  const page = pageOf(analyst.calls[0]!);
  expect(page).toContain('Whatever has outlived its time');
  expect(page).toContain('del self.sessions[key]');
  expect(page).not.toContain(question);
  expect(page).not.toContain(result.citations[0]!.id);
  expect(model.calls).toHaveLength(2);
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

it('without a reader what code left open stays so, and nobody is asked', async () => {
  const analyst = scriptedModel([verdicts(['c1', 'supported'])] as never);
  const { result } = await runTrial(store, { script: planner(paraphrase), analyst, reader: false });
  expect(result).toMatchObject({ status: 'unverified', claims: [{ verdict: 'unclear' }], unsupported: [] });
  expect(analyst.calls).toHaveLength(0);
});

it.each<[string, Script]>([
  ['fails', { failure: { code: 'auth', message: 'no such key' } } as never],
  ['gives nothing usable', 'I think it is fine.'],
])('a reader that %s is none: it is told, and the run ends as it would', async (_, script) => {
  const analyst = scriptedModel(script);
  const { result } = await runTrial(store, { script: planner(paraphrase), analyst, reader: true });
  expect(result).toMatchObject({ stop_reason: 'finalized', claims: [{ verdict: 'unclear' }] });
  expect(result.coverage.notes.join(' ')).toMatch(/No reader looked at the claims/);
});

it('a reader whose connection breaks is paid once, and asked no more', async () => {
  const broken = { failure: { code: 'unreachable', message: 'the connection broke', usage: 'unknown' } };
  const analyst = scriptedModel([broken, broken, broken, broken] as never);
  const { result } = await runTrial(store, {
    ...{
      script: planner(`${wrong} ${paraphrase}`, `${paraphrase} Nobody keeps it [ID].`),
      analyst,
      reader: true,
    },
  });
  expect(analyst.calls).toHaveLength(1);
  expect(result.coverage.notes.join(' ')).toMatch(/No reader looked at the claims: .*the connection broke/);
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

it('it has a tenth of the budget, set apart from the beginning', async () => {
  const limits = { tokens: 40_000 };
  const analyst = scriptedModel([verdicts(['c1', 'supported'])] as never);
  const { events, result } = await runTrial(store, {
    ...{ script: planner(paraphrase), analyst, reader: true, limits },
  });
  const left = events.flatMap(({ event }) => (event.kind === 'step_started' ? [event.left['tokens']!] : []));
  expect(Math.max(...left)).toBeLessThanOrEqual(36_000);
  const [asked] = events.flatMap(({ event }) =>
    event.kind === 'model_called' && event.signature === 'read-claims' ? [event.reserved['tokens']!] : [],
  );
  expect(asked).toBeLessThanOrEqual(4_000);
  expect(result.status).toBe('verified');
});

it('what is not shown goes back once, with why, and the mended answer is taken', async () => {
  const mended = 'It says "Drops every session older than the ttl." [ID].';
  const { result, model } = await runTrial(store, { script: planner(wrong, mended) });
  const told = pageOf(model.calls[2]!);
  expect(told).toContain('goes back to you, once');
  expect(told).toMatch(
    /not shown: It happens after 90 minutes\.\n {2}The cited lines do not hold "90 minutes"/,
  );
  expect(result).toMatchObject({ status: 'verified', stop_reason: 'finalized', unsupported: [] });
});

it('what a reader refuses goes back as well', async () => {
  const analyst = scriptedModel([verdicts(['c1', 'contradicted']), verdicts(['c1', 'supported'])] as never);
  const { result, model } = await runTrial(store, {
    ...{ script: planner(paraphrase, `${paraphrase} `.replace('time', 'ttl')), analyst, reader: true },
  });
  expect(pageOf(model.calls[2]!)).toMatch(/contradicted: Whatever has outlived its time/);
  expect(result.status).toBe('verified');
});

it('a reader is asked once about a claim that stays in the mended answer', async () => {
  const analyst = scriptedModel([verdicts(['c2', 'supported']), verdicts(['c1', 'contradicted'])] as never);
  const { result } = await runTrial(store, {
    ...{ script: planner(`${wrong} ${paraphrase}`, paraphrase), analyst, reader: true },
  });
  expect(analyst.calls).toHaveLength(1);
  expect(result).toMatchObject({
    status: 'verified',
    claims: [{ verdict: 'supported', why: 'A reader: line 12' }],
  });
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

it('who insists is taken at his word, which is marked', async () => {
  const { result, model } = await runTrial(store, { script: planner(wrong) });
  expect(model.calls).toHaveLength(3);
  expect(result).toMatchObject({ status: 'unverified', unsupported: ['It happens after 90 minutes.'] });
  expect(result.answer).toContain('[unsupported]');
});

it('where no other answer comes the one that went back counts', async () => {
  const script: Script = (request, call) =>
    call < 2
      ? (planner(`It says "del self.sessions[key]" [ID]. ${wrong}`) as (r: ModelRequest, n: number) => never)(
          request,
          call,
        )
      : 'I have nothing else to say.';
  const { result } = await runTrial(store, { script });
  expect(result).toMatchObject({ stop_reason: 'stagnant', status: 'partial' });
  expect(result.answer).toContain('It happens after 90 minutes');
});

it('killed at the reader and taken up again: the planner is not asked again, the reader once', async () => {
  const lives = [0, 1].map((life) => {
    const good = scriptedModel([verdicts(['c1', 'supported'])] as never);
    const analyst: Model =
      life === 1 ? good : { ...good, generate: () => Promise.reject(new Error('the process died')) };
    return { planner: scriptedModel(planner(paraphrase)), analyst, good };
  });
  const setting = (life: number) => ({
    ...{ store, material: scriptedMaterial({ files }), ...withoutWaiting },
    models: { planner: lives[life]!.planner, analyst: lives[life]!.analyst },
  });
  let id = '';
  const started = researchRun.start(
    { question, root: '/material', reader: true },
    { ...setting(0), onRun: (run) => (id = run) },
  );
  await expect(started).rejects.toThrow('the process died');
  const { result } = await researchRun.resume(id, setting(1));
  expect(result.status).toBe('verified');
  expect(lives[1]!.planner.calls).toHaveLength(0);
  expect(lives[1]!.good.calls).toHaveLength(1);
  expect((await researchRun.replay(id, store)).result).toEqual(result);
  // The call that died counts as spent, since it may have been billed.
  expect(result.spent.calls).toBe(4);
});

it('that nothing mentions it is absent, by the search that met nothing, and not where a folder was left out', async () => {
  const grep = (pattern: string, path = '') => ({
    action: { name: 'grep', pattern, ignore_case: true, path },
    reasoning: 'r',
  });
  const ends = async (path: string) => {
    let id = '';
    const script: Script = (request, call) => {
      id = /is cited as \[(ev-[0-9a-f]{10})\]/.exec(pageOf(request))?.[1] ?? id;
      return (call === 0 ? grep('kerberos', path) : answer(`No file mentions Kerberos [${id}].`)) as never;
    };
    return (await runTrial(store, { script })).result;
  };
  expect(await ends('')).toMatchObject({ status: 'verified', claims: [{ verdict: 'absent' }] });
  const refused = await ends('src');
  expect(refused).toMatchObject({ status: 'unverified', claims: [{ verdict: 'unclear' }] });
  expect(refused.claims![0]!.why).toMatch(/over src left out what is outside of it/);
});

it('a reader is told which figures code computed', () => {
  const sources = [
    { id: 'ev-0123456789', path: 'a.md', start: 1, end: 1, content: 'The crane lifts 20 tons.' },
  ];
  const asked = { id: 'c1', text: 'All lift 412 tons, this one a part.', sources };
  expect(claimsPage([{ ...asked, computed: '412' }], 1).claims).toContain(
    'c1 (A; computed, so take as given: 412): All lift',
  );
  expect(claimsPage([asked], 1).claims).toContain('c1 (A): All lift');
});

it('a reader is told that a complete listing found no users', () => {
  const source = { id: 'ev-0123456789', path: 'a.py', start: 1, end: 1, content: 'def alone():' };
  const listing = 'nothing uses it: the one file that holds the word was read';
  const page = (own: Partial<typeof source> & { listing?: string }) =>
    claimsPage([{ id: 'c1', text: 'Nothing calls `alone`.', sources: [{ ...source, ...own }] }], 1).lines;
  expect(page({ listing })).toContain(`listing of its users, complete| ${listing}`);
  expect(page({})).not.toContain('listing');
});
