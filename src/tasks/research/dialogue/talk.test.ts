import { afterAll, describe, expect, it } from 'vitest';
import { type ModelRequest, type Script, scriptedModel } from '../../../model/index.ts';
import { answer, answerFromPage, files, isLastTurn, openTestStore, runTrial } from '../research.contract.ts';
import { researchRun } from '../run.ts';
import { scriptedMaterial } from '../scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const pageOf = ({ messages }: ModelRequest) => messages.map(({ text }) => text).join('\n');
const call = (name: string, input: object) => ({ name, input });
const read = (file_path: string, start_line: number, end_line: number) =>
  call('open_span', { file_path, start_line, end_line });
/** The given turns, each of several calls; then the answer. */
const turns =
  (...rounds: readonly (readonly object[])[]): Script =>
  (request, n) =>
    (n < rounds.length && !isLastTurn(request)
      ? { text: '', calls: rounds[n] }
      : answer(answerFromPage(pageOf(request)))) as never;
const last = (requests: readonly ModelRequest[]) => pageOf(requests.at(-1) as ModelRequest);

// research.md: Loop 1.
it('several calls of one reply are carried out side by side, and answered in their order', async () => {
  const order: string[] = [];
  const material = scriptedMaterial({ files });
  const waiting = Promise.withResolvers<void>();
  const slow = {
    ...material,
    text: {
      async readText(path: string, commit: string | null) {
        if (path === 'docs/guide.md' && order.length === 0) {
          order.push('guide waits');
          await waiting.promise;
        }
        return material.text.readText(path, commit);
      },
    },
    grep: {
      async grep(request: Parameters<typeof material.grep.grep>[0]) {
        order.push('grep');
        waiting.resolve();
        return material.grep.grep(request);
      },
    },
  };
  const { result, model } = await runTrial(store, {
    material: {
      ...slow,
      search: { search: async () => ({ hits: [], completeness: 'complete', notes: [] }) },
    },
    script: turns([read('docs/guide.md', 1, 3), call('grep', { pattern: 'ttl' })]),
  });
  expect(order).toEqual(['guide waits', 'grep']);
  expect(result.status).toBe('verified');
  const page = last(model.calls);
  expect(page.indexOf('<result of="open_span">')).toBeLessThan(page.indexOf('<result of="grep">'));
  expect(result.spent).toMatchObject({ steps: 2, calls: 2 });
});

it('it begins with the first search done and the names of the question looked up', async () => {
  const { model } = await runTrial(store, { script: turns() });
  const [request] = model.calls;
  const page = pageOf(request as ModelRequest);
  expect(page).toContain('## Search for the question');
  expect(page).toContain('## Definition of SessionStore');
  expect(page).toMatch(/source="ev-[0-9a-f]{10} src\/session\.py/);
  expect(model.calls).toHaveLength(1);
});

it('what is sent only grows: each request begins with the one before, and the budget stands at its end', async () => {
  const { model } = await runTrial(store, {
    script: turns(
      [read('src/session.py', 8, 12)],
      [read('src/server.py', 1, 3), read('docs/guide.md', 1, 3)],
    ),
  });
  const sent = model.calls.map(({ messages }) => messages.map(({ role, text }) => `${role} ${text}`));
  for (const [n, request] of sent.slice(1).entries())
    expect(request.slice(0, sent[n]?.length)).toEqual(sent[n]);
  expect(sent.at(-1)?.at(-1)).toMatch(/Budget: step 3 of 10: .*\.\n<\/result>$/);
});

it('evidence is shown once, whichever call finds it again', async () => {
  const { model } = await runTrial(store, {
    script: turns([read('src/server.py', 1, 6), read('src/server.py', 1, 6)], [read('src/server.py', 1, 6)]),
  });
  expect(last(model.calls).match(/source="ev-[0-9a-f]{10} src\/server\.py:1-6/g)).toHaveLength(1);
  expect(last(model.calls)).toContain('Made before, at step 1; not made again.');
});

it('what is dropped can not be cited', async () => {
  const { result, events } = await runTrial(store, {
    contextWindow: 32_000,
    script: (request, n) => {
      const [id = ''] = pageOf(request).match(/ev-(?!0123456789|abcdef0123)[0-9a-f]{10}/) ?? [];
      if (n === 0) return { text: '', calls: [call('drop_evidence', { ids: [id] })] };
      return answer(`It expires after the ttl [${id}].`);
    },
  });
  expect(result.citations.filter(({ status }) => status === 'valid')).toEqual([]);
  const dropped = events.flatMap(({ event }) =>
    event.kind === 'action_finished' && event.action === 'drop_evidence' ? [event.outcome] : [],
  );
  expect(dropped).toEqual(['ok']);
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

// research.md: Loop 5.
describe('two rounds without anything new end the research', () => {
  const again = read('src/session.py', 8, 12);
  const nothing = (pattern: string) => call('grep', { pattern });
  const missing = (n: number) => read(`src/none-${n}.py`, 1, 2);
  it.each([
    ['the same again', [again, again, again], 'stagnant'],
    ['complete searches that find nothing', [nothing('qqq'), nothing('xxx'), nothing('zzz')], 'finalized'],
    ['errors', [missing(1), missing(2), missing(3)], 'finalized'],
  ] as const)('%s', async (_what, calls, stop) => {
    const { result } = await runTrial(store, { script: turns(...calls.map((one) => [one])) });
    expect(result.stop_reason).toBe(stop);
  });
});

it('where the answer is due, other calls are answered in text, and the list of tools stays', async () => {
  const { result, model, events } = await runTrial(store, {
    limits: { steps: 2 },
    script: (request, n) =>
      n < 2
        ? { text: '', calls: [call('grep', { pattern: `p${n}` }), call('open_span', {})] }
        : (answer(answerFromPage(pageOf(request))) as never),
  });
  expect(result).toMatchObject({ stop_reason: 'budget', status: 'partial' });
  const greps = events.filter(({ event }) => event.kind === 'action_started' && event.action === 'grep');
  expect(greps).toHaveLength(1);
  const systems = new Set(model.calls.map(({ messages }) => messages[0]?.text));
  expect(systems.size).toBe(1);
  expect(last(model.calls)).toContain('No other tool is carried out.');
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

it('of more calls than are carried out at once the rest is told so', async () => {
  const many = Array.from({ length: 20 }, (_, n) => call('grep', { pattern: `p${n}` }));
  const { model, events } = await runTrial(store, { script: turns(many) });
  const greps = events.filter(({ event }) => event.kind === 'action_started' && event.action === 'grep');
  expect(greps).toHaveLength(12);
  expect(last(model.calls).match(/Not carried out: at most 12/g)).toHaveLength(8);
});

it('a small window is never sent more than it holds', async () => {
  const long = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      `src/f${n}.py`,
      `def session_${n}(): pass  # expires\n`.repeat(100),
    ]),
  );
  const model = {
    ...scriptedModel(turns(...Array.from({ length: 8 }, (_, n) => [read(`src/f${n}.py`, 1, 100)]))),
    contextWindow: 8_192,
  };
  const { result } = await runTrial(store, {
    material: scriptedMaterial({ files: long }),
    script: '',
    setting: { models: { planner: model, analyst: model } },
  });
  const sizes = model.calls.map((request) => Buffer.byteLength(pageOf(request)) / 3);
  expect(Math.max(...sizes)).toBeLessThan(8_192);
  expect(result.stop_reason).not.toBe('model_failed');
});
