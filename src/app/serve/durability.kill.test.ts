/** Real processes, really killed: the same end, nothing billed twice, nothing written twice, no question lost. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../session/index.ts';
import { readThread } from '../../session/index.ts';
import { openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { openWorld } from '../../world/index.ts';
import { isReaderPrompt, type ModelServer, modelServer, supportAllClaims } from '../testbed/model-server.ts';
import { clockAhead, newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import {
  key,
  type ReplyBody,
  type Serving,
  startServing,
  waitUntil as untilOf,
  waitForExit,
} from '../testbed/serving.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

const turns = 20;
const kills = Number(process.env['SERVE_KILLS'] ?? 8);

let home: string;
let path: string;
let model: ModelServer;
let serving: Serving | undefined;

const week = 7 * 24 * 3600 * 1000;

/** The clocks of host and agent are ahead by so many milliseconds. */
const serve = async (ahead = 0): Promise<Serving> => {
  serving = await startServing({ home, model, env: ahead === 0 ? {} : clockAhead(ahead) });
  return serving;
};
const killAgent = (): void => serving?.killAgent();
/** Of the host that is there now. */
const call = (route: string, body?: object) => serving!.call(route, body);
const until = (thread: string, wanted: (answer: ReplyBody) => boolean) => untilOf(call, thread, wanted);

beforeEach(async () => {
  home = newHome();
  path = await createSmallWorld(home);
  model = await modelServer(planned);
});
afterEach(async () => {
  await serving?.end();
  serving = undefined;
  await model.close();
});

/** Two calls of tools a turn, one of which writes; or a question. It depends on the prompt alone. */
function planned(prompt: string): string {
  if (isReaderPrompt(prompt)) return supportAllClaims(prompt);
  const decision = (text: string, ...calls: readonly (readonly [string, object])[]): string =>
    JSON.stringify({ text, calls: calls.map(([name, args]) => ({ name, args: JSON.stringify(args) })) });
  const since = prompt.slice(prompt.lastIndexOf('\n## The person\n'));
  const turn = /## The person\nturn (\d+)/.exec(since)?.[1];
  if (turn === undefined) {
    const answer = /## The person \([^)]*\)\n(.*)/.exec(prompt)?.[1];
    return answer === undefined
      ? decision('', ['ask_user', { question: 'Which colour?' }])
      : decision(`it is ${answer}`);
  }
  if (since.includes('\n## create_page (')) return decision(`answer ${turn}`);
  return decision(
    '',
    ['search_pages', { query: `lamp ${turn}` }],
    ['create_page', { path: `Made/${turn}`, text: `Page ${turn}.\n` }],
  );
}

/** What is in the file, read by a process that takes no part. */
async function afterwards<Value>(
  look: (file: {
    db: ReturnType<typeof openDatabase>;
    messages: readonly Message[];
  }) => Value | Promise<Value>,
  thread: string,
): Promise<Value> {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  try {
    const { checkpoints } = openSessionsIn(db);
    return await look({ db, messages: (await readThread(thread, checkpoints)).messages });
  } finally {
    db.close();
  }
}

/** Sends the turns one after another, each again until somebody takes it. */
async function converse(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    for (;;) {
      const sent = await call('talk/messages', { text: `turn ${turn}`, message_id: `m-${turn}` });
      if (sent?.status === 202) break;
      await sleep(30);
    }
    await until('talk', ({ state, last }) => state === 'idle' && last?.text === `answer ${turn}`);
  }
}

describe('twenty turns with forty calls of tools', () => {
  it(`come to the same end when the agent is killed ${kills} times, and its host twice`, async () => {
    await serve();
    let talking = true;
    const talk = converse().finally(() => {
      talking = false;
    });
    for (let kill = 0; kill < kills && talking; kill += 1) {
      await sleep(200 + Math.random() * 900);
      if (kill % 4 === 3) {
        serving!.host.kill('SIGKILL');
        await waitForExit(serving!.host);
        await serve();
        continue;
      }
      killAgent();
    }
    await talk;
    await afterwards(async ({ db, messages }) => {
      expect(
        messages.map((each) => (each.kind === 'user' || each.kind === 'assistant' ? each.text : each.kind)),
      ).toEqual(
        Array.from({ length: turns }, (_, turn) => [
          `turn ${turn}`,
          '',
          'tool',
          'tool',
          `answer ${turn}`,
        ]).flat(),
      );
      const world = openWorld(db, { name: 'main' });
      const made = world.events(0, 1000).filter(({ caller_kind }) => caller_kind === 'agent');
      expect(made.map(({ op }) => op)).toEqual(Array.from({ length: turns }, () => 'create_page'));
      expect(new Set(made.flatMap(({ content_ids }) => content_ids[0])).size).toBe(turns);
      // The planner is asked twice in a turn, and a reader once for what the answer claims.
      const asked = 3 * turns;
      // A reply that was on its way when its asker died is asked for again; one that was written down never is.
      const store = openStoreIn(db);
      const rows = await store.runs.list(1000);
      const bills = await Promise.all(rows.map(({ id }) => store.accounts.balance(id)));
      const settled = bills.reduce((sum, { spent, unknown }) => sum + spent.calls - unknown.calls, 0);
      const unknown = bills.reduce((sum, { unknown }) => sum + unknown.calls, 0);
      expect(settled).toBe(asked);
      const keys = model.served.map(({ key }) => key);
      expect(new Set(keys).size).toBe(asked);
      expect(keys.length - asked).toBeLessThanOrEqual(Math.min(unknown, kills));
      await store.close();
    }, 'talk');
  });
});

describe('a question', () => {
  // world.md: Session graph 10, 11, Errors 7: everything that expires has, when it is answered.
  it('outlives both processes and a week, is kept when somebody talks past it, and is answered by another', async () => {
    await serve();
    await until('ask', ({ state }) => state === 'unknown');
    expect(await call('ask/messages', { text: 'paint it', message_id: 'm' })).toMatchObject({ status: 202 });
    const { questions } = await until('ask', ({ state }) => state === 'interrupted');
    expect(questions[0]!.value.question).toBe('Which colour?');
    killAgent();
    serving!.host.kill('SIGKILL');
    await waitForExit(serving!.host);

    await serve(week);
    await until('ask', ({ state }) => state === 'interrupted');
    expect(await call('ask/messages', { text: 'never mind' })).toMatchObject({
      status: 409,
      body: { error_code: 'run_state', details: { questions } },
    });
    expect(await call('ask/answers', { question: 'another', value: 'x' })).toMatchObject({ status: 409 });
    const answer = { question: questions[0]!.id, value: 'red' };
    expect(await call('ask/answers', answer)).toMatchObject({ status: 202 });
    const { last } = await until('ask', ({ state }) => state === 'idle');
    expect(last).toEqual({ by: 'agent', text: 'it is red' });
    expect(model.served).toHaveLength(2);
    const log = await afterwards(async ({ db }) => {
      const store = openStoreIn(db);
      const [run] = await store.runs.list();
      const events = await store.events(run!.id);
      await store.close();
      return events;
    }, 'ask');
    const resumed = log.find(({ event }) => event.kind === 'run_resumed');
    expect(resumed!.at - log[0]!.at).toBeGreaterThan(week);
    expect(log.at(-1)?.event).toMatchObject({ kind: 'run_finished', result: { answer: 'it is red' } });
  });
});

describe('two workers', () => {
  it('never have one workspace to serve', async () => {
    await serve();
    const { status, stderr } = await sonde(['serve', '--port', '0'], { home });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Another sonde serve already serves the workspace'),
    });
  });

  it('never both advance a thread', async () => {
    await serve();
    const env = { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: key };
    const talk = (turn: number) => {
      const args = ['chat', '--thread', 'both', '--model', 'openai-compatible:planned', '--json'];
      return startSonde(args, { home, env, input: `turn ${turn}\n` }).ended;
    };
    await until('both', () => true);
    const sent = (turn: number) => call('both/messages', { text: `turn ${turn}`, message_id: `m-${turn}` });
    const talks = Promise.all([talk(1), talk(2)]);
    // Again until it is taken and done, whoever was faster.
    while ((await sent(0))?.body.message !== 'done') await sleep(30);
    const [one, two] = await talks;
    const begun = [one, two].filter(({ stdout }) => stdout.includes('"turn_started"'));
    const refused = [one, two].filter(({ stdout }) => stdout.includes('"error":{"code":"run_state"'));
    expect(begun.length + refused.length).toBe(2);
    await afterwards(({ messages }) => {
      // Whole turns one after another, each of those that were taken, once.
      const shape = messages.map(({ kind }) => kind).join(' ');
      expect(shape).toMatch(/^(?:user assistant tool tool assistant ?)+$/);
      const asked = messages.flatMap((each) => (each.kind === 'user' ? [each.text] : []));
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.length).toBe(1 + begun.length);
      expect(new Set(model.served.map(({ key }) => key)).size).toBe(model.served.length);
    }, 'both');
  });
});

describe('the keys', () => {
  it('are with the agent, and in nothing that is written or said', async () => {
    const { stderrLines: told, agent } = await serve();
    await until('talk', ({ state }) => state === 'unknown');
    expect(readFileSync(`/proc/${agent()}/environ`, 'utf8')).toContain(key);
    await call('talk/messages', { text: 'turn 0', message_id: 'm' });
    await until('talk', ({ state, last }) => state === 'idle' && last?.text === 'answer 0');
    expect(model.served[0]!.authorization).toContain(key);
    expect(told.join('\n')).not.toContain(key);
    expect(readFileSync(path).includes(key)).toBe(false);
  });
});
