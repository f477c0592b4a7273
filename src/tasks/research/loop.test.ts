import { afterAll, describe, expect, it } from 'vitest';
import { manualClock, type RunEvent } from '../../core/index.ts';
import type { ModelRequest, Script } from '../../model/index.ts';
import {
  act,
  answer,
  answerFromPage,
  files,
  isLastTurn,
  open,
  openTestStore,
  runTrial,
  search,
  type Trial,
} from './research.contract.ts';
import { researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const page = (request: ModelRequest) => request.messages.map(({ text }) => text).join('\n');
/** The given lines, then an answer that cites what the page shows. */
const thenAnswer =
  (...lines: readonly unknown[]): Script =>
  (request, call) =>
    (call < lines.length ? lines[call] : answer(answerFromPage(page(request)))) as string;

const actions = (events: readonly { readonly event: RunEvent }[]) =>
  events.flatMap(({ event }) =>
    event.kind === 'action_finished'
      ? [`${event.action} ${event.outcome} ${event.fresh > 0 ? 'fresh' : 'dry'}`]
      : [],
  );

interface Path extends Trial {
  readonly name: string;
  readonly stop: string;
  readonly steps: readonly string[];
  readonly status?: string;
  readonly note?: RegExp;
  readonly answer?: RegExp;
}

const finalReply = { answer: 'nobody knows', confidence: 0.3 };

const paths: readonly Path[] = [
  {
    name: 'searches, reads, answers',
    script: thenAnswer(search('expire session'), open('src/session.py', 8, 12)),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok dry',
      'open_span ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'cites the lines that it opened, and no id',
    script: thenAnswer(
      open('src/session.py', 8, 12),
      answer('`expire_sessions` says `del self.sessions[key]` [src/session.py:8-12].'),
    ),
    stop: 'finalized',
    status: 'verified',
    answer: /\[ev-[0-9a-f]{10}\]/,
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh', 'open_span ok fresh', 'finalize ok dry'],
  },
  {
    name: 'answers from memory: sent to look first',
    script: thenAnswer(answer('After an hour.'), search('expire')),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'finalize error dry',
      'hybrid_search ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'insists on its memory: told once, then marked as unverified',
    script: (request) =>
      isLastTurn(request) ? { answer: 'After an hour.', confidence: 1 } : answer('After an hour.'),
    stop: 'finalized',
    status: 'unverified',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh', 'finalize error dry', 'finalize ok dry'],
  },
  {
    name: 'cites what it never read',
    script: [search('expire'), ...Array(3).fill(answer('After an hour [ev-0123456789].'))],
    stop: 'finalized',
    status: 'unverified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize error dry',
      'finalize ok dry',
      // What no lines show went back once.
      'finalize ok dry',
    ],
  },
  {
    name: 'looked and found nothing',
    script: [search('quagga'), ...Array(2).fill(answer('I found nothing about it.'))],
    stop: 'finalized',
    status: 'unverified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok dry',
      'finalize error dry',
      'finalize ok dry',
    ],
  },
  {
    name: 'takes every text action',
    script: thenAnswer(
      act('grep', { pattern: 'expire', ignore_case: false, path: '' }),
      act('find_definition', { symbol: 'SessionStore.expire_sessions()' }),
      act('git_log', { path: 'src', message: '' }),
      act('git_pickaxe', { text: 'ttl', regex: false }),
      act('git_blame', { file_path: 'src/session.py', start_line: 1, end_line: 3 }),
    ),
    material: scriptedMaterial({
      files: { ...files, [`commit:${'a'.repeat(40)}`]: 'Expire sessions\n\nFiles:\nsrc/session.py' },
      commits: [
        {
          commit: 'a'.repeat(40),
          date: '2026-01-01T00:00:00Z',
          author: 'A',
          subject: 'Expire sessions',
          paths: ['src/session.py'],
        },
      ],
    }),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'grep ok fresh',
      'find_definition ok dry',
      'git_log ok fresh',
      'git_pickaxe ok dry',
      'git_blame ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'leaves optional fields out',
    script: thenAnswer(
      { reasoning: 'r', action: { name: 'hybrid_search', query: 'expire' } },
      {
        reasoning: 'r',
        action: { name: 'grep', pattern: 'ttl' },
      },
    ),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'grep ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'words in place of a call: reminded',
    script: thenAnswer('I would search.', search('expire')),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'calls what is not there: told, and goes on from the first search',
    script: thenAnswer('no', { reasoning: 'r', action: { name: 'rm_rf', path: '/' } }),
    stop: 'finalized',
    status: 'verified',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh', 'finalize ok dry'],
  },
  {
    name: 'says the same words for ever: reminded once, then what was found speaks',
    script: 'no JSON at all',
    stop: 'stagnant',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh'],
    note: /No usable answer/,
    answer: /src\/session\.py/,
  },
  {
    name: 'repeats itself: served from the cache, then the actions are taken away',
    script: (_request, call) =>
      (call < 2 ? search('expire session') : { answer: 'x', confidence: 1 }) as object as never,
    stop: 'stagnant',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok dry',
      'hybrid_search cached dry',
      'finalize error dry',
      'finalize ok dry',
    ],
  },
  {
    name: 'errors are not cached',
    script: thenAnswer(open('src/none.py', 1, 2), open('src/none.py', 1, 2)),
    stop: 'finalized',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'open_span error dry',
      'open_span error dry',
      'finalize ok dry',
    ],
  },
  {
    name: 'a failed port costs a step',
    script: thenAnswer(search('one'), search('two')),
    material: scriptedMaterial({
      files,
      search: (_query, call) => {
        if (call === 0) throw new Error('the index is gone');
        return {
          hits: [{ path: 'src/session.py', start: 1, end: 3, score: 1, provenance: 'hybrid' }],
          completeness: 'complete',
          notes: [],
        };
      },
    }),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'hybrid_search error dry',
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok dry',
      'finalize ok dry',
    ],
  },
  {
    name: 'a hanging port is stopped',
    script: (request, call) =>
      isLastTurn(request) ? { answer: 'I could not look.', confidence: 0 } : (search(`try ${call}`) as never),
    limits: { action_ms: 30 },
    material: scriptedMaterial({ files, search: () => new Promise(() => {}) }),
    stop: 'budget',
    status: 'quotes',
    steps: [
      'find_definition ok fresh',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'hybrid_search error dry',
      'finalize error dry',
    ],
  },
  {
    name: 'steps end: the last is the answer',
    script: (request, call) =>
      (call < 2
        ? search(`expire ${call}`)
        : { answer: answerFromPage(page(request)), confidence: 0.7 }) as never,
    limits: { steps: 3 },
    material: scriptedMaterial({
      files,
      search: (_query, call) => ({
        hits: [{ path: Object.keys(files)[call % 4]!, start: 1, end: 3, score: 1, provenance: 'bm25' }],
        completeness: 'complete',
        notes: [],
      }),
    }),
    stop: 'budget',
    status: 'partial',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'one step: looks, then answers',
    script: (request) => ({ answer: answerFromPage(page(request)), confidence: 0.7 }),
    limits: { steps: 1 },
    stop: 'budget',
    status: 'partial',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh', 'finalize ok dry'],
  },
  {
    name: 'no tokens at all',
    script: [finalReply],
    limits: { tokens: 0 },
    stop: 'budget',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh'],
    answer: /src\/session\.py/,
    note: /budget ended \(tokens\)/i,
  },
  {
    name: 'no time at all',
    script: [finalReply],
    limits: { wall_ms: 0 },
    stop: 'budget',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh'],
    note: /budget ended \(time\)/i,
  },
  {
    name: 'tokens end in the middle: the reserve pays for the answer',
    script: (request, call) =>
      isLastTurn(request)
        ? {
            json: { answer: answerFromPage(page(request)), confidence: 0.5 },
            usage: { input: 900, output: 100 },
          }
        : { json: search(`expire ${call}`), usage: { input: 8_000, output: 100 } },
    limits: { tokens: 30_000 },
    material: scriptedMaterial({
      files,
      search: (_query, call) => ({
        hits: [{ path: Object.keys(files)[call % 4]!, start: 1, end: 3, score: 1, provenance: 'bm25' }],
        completeness: 'complete',
        notes: [],
      }),
    }),
    stop: 'budget',
    status: 'partial',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'money ends',
    script: (request) =>
      isLastTurn(request)
        ? { json: { answer: answerFromPage(page(request)), confidence: 0.5 }, usd: 0.1 }
        : { json: search('expire'), usd: 0.7 },
    prices: { memory: { input: 50, output: 100, cacheRead: 50, cacheWrite: 50 } },
    limits: { usd: 0.9 },
    stop: 'budget',
    status: 'partial',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'no calls at all',
    script: [finalReply],
    limits: { calls: 0 },
    stop: 'budget',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh'],
    answer: /src\/session\.py/,
  },
  {
    name: 'no time at all',
    script: [finalReply],
    limits: { wall_ms: 0 },
    stop: 'budget',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh'],
    answer: /src\/session\.py/,
  },
  {
    name: 'a wrong key: what a search finds, and the remedy',
    script: { failure: { code: 'auth', message: 'invalid x-api-key' } },
    stop: 'model_failed',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh'],
    answer: /src\/session\.py/,
    note: /key/i,
  },
  {
    name: 'a provider that dies on the way',
    script: [search('expire'), ...Array.from({ length: 8 }, () => ({ failure: 'overloaded' }))],
    stop: 'model_failed',
    status: 'quotes',
    steps: ['find_definition ok fresh', 'hybrid_search ok fresh', 'hybrid_search ok fresh'],
    answer: /src\/session\.py/,
  },
  {
    name: 'a provider that stumbles',
    script: thenAnswer({ failure: 'overloaded' }, search('expire')),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize ok dry',
    ],
  },
  {
    name: 'the analyst sums up',
    contextWindow: 32_000,
    script: thenAnswer(search('expire'), act('summarize_evidence', { goal: 'the ttl' }), {
      memo: 'ttl decides',
    }),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'summarize_evidence ok dry',
      'finalize ok dry',
    ],
  },
  {
    name: 'the analyst fails',
    contextWindow: 32_000,
    script: thenAnswer(search('expire'), act('summarize_evidence', { goal: 'the ttl' }), { failure: 'auth' }),
    stop: 'finalized',
    status: 'verified',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'summarize_evidence error dry',
      'finalize ok dry',
    ],
  },
  {
    name: 'an empty final answer',
    script: [search('expire'), answer('   '), search('ttl'), answer('')],
    stop: 'model_failed',
    status: 'quotes',
    steps: [
      'find_definition ok fresh',
      'hybrid_search ok fresh',
      'hybrid_search ok fresh',
      'finalize error dry',
      'hybrid_search ok dry',
      'finalize error dry',
    ],
  },
];

/** What two forms of the same run must agree on: all but the run's own name and the time it took. */
const core = ({ run_id: _run, spent, ...rest }: Awaited<ReturnType<typeof runTrial>>['result']) => ({
  ...rest,
  spent: { ...spent, wall_ms: 0 },
});

// research.md: Entry and output 6; Loop 1 to 6; Evidence and citations 4; Tests and evaluation 1.
describe.each(paths)('$name', ({ name: _name, stop, steps, status, note, answer: said, ...trial }) => {
  it('ends as it should, in both forms, and replays', async () => {
    const loop = await runTrial(store, trial);
    expect(actions(loop.events)).toEqual(steps);
    expect(loop.result.stop_reason).toBe(stop);
    if (status !== undefined) expect(loop.result.status).toBe(status);
    if (note !== undefined) expect(loop.result.coverage.notes.join('\n')).toMatch(note);
    if (said !== undefined) expect(loop.result.answer).toMatch(said);
    expect(Buffer.byteLength(loop.result.answer)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(JSON.stringify(loop.result))).toBeLessThanOrEqual(8192);
    expect((await store.runs.get(loop.result.run_id)).status).toBe('finished');

    const before = (await store.events(loop.result.run_id)).length;
    expect((await researchRun.replay(loop.result.run_id, store)).result).toEqual(loop.result);
    expect(await store.events(loop.result.run_id)).toHaveLength(before);

    // A script of material that counts its calls starts again.
    if (trial.material === undefined) {
      const graph = await runTrial(store, { ...trial, setting: { form: 'graph' } });
      expect(core(graph.result)).toEqual(core(loop.result));
      expect(graph.events.map(({ key }) => key)).toEqual(loop.events.map(({ key }) => key));
    }
  });
});

it.each([60_000, 600_000])(
  'of %d ms a model of this machine may take all but what the answer needs',
  async (wall_ms) => {
    const { model } = await runTrial(store, {
      script: thenAnswer(search('expire')),
      limits: { wall_ms },
      setting: { clock: manualClock(1_800_000_000_000) },
    });
    const ordinary = wall_ms - Math.min(wall_ms / 4, 30_000);
    expect(model.calls.map(({ timeoutMs }) => timeoutMs)).toEqual([ordinary, ordinary]);
  },
);
