/** `kill -9` at any moment: the same answer after resuming, and no reply that came in is asked for again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../store/index.ts';
import { type ModelServer, modelServer, searchPlan } from '../testbed/model-server.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

const question = 'How is a failed delivery retried?';
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

interface Outcome {
  readonly answer: string;
  readonly citations: readonly unknown[];
  readonly stop_reason: string;
  readonly spent: Readonly<Record<string, number>>;
}

/** The call as the log names it: the key of a provider has the account in it that pays, too. */
const callOf = ({ key }: { readonly key: string }): string => key.replace(/\/(?:work|reader)\//, '/');

/** Replies that the database holds: these are paid for, and must never be asked for again. */
async function recorded(home: string): Promise<{ run: string; calls: string[] } | null> {
  const store = openStore(`${home}/data/sonde.db`);
  try {
    const [row] = await store.runs.list(1);
    if (row === undefined) return null;
    const calls = (await store.events(row.id)).flatMap(({ event }) =>
      event.kind === 'model_replied' ? [`${row.id}/${event.call.replace(/\/attempt-\d+$/, '')}`] : [],
    );
    return { run: row.id, calls };
  } finally {
    await store.close();
  }
}

/**
 * Asks, kills when so many more calls have been asked for, at some instant of the last, and resumes, again and again,
 * until the run ends by itself.
 */
async function askThroughKills(tree: string, server: ModelServer, asks: readonly number[]) {
  const home = newHome();
  const env = { OPENAI_BASE_URL: server.address, OPENAI_API_KEY: 'sk-planted-0123456789' };
  const kills: { calls: string[]; served: number }[] = [];
  const model = ['--model', 'openai-compatible:planned'];
  for (const more of asks) {
    const before = kills.length === 0 ? null : await recorded(home);
    const args = before === null ? ['ask', question, tree, ...model] : ['resume', before.run];
    const goal = server.served.length + more;
    const { child, ended } = startSonde([...args, '--json'], { home, env });
    while (server.served.length < goal && child.exitCode === null) await pause(2);
    await pause(Math.random() * 80);
    child.kill('SIGKILL');
    await ended;
    const now = await recorded(home);
    if (now !== null) kills.push({ calls: now.calls, served: server.served.length });
  }
  const before = await recorded(home);
  const args = before === null ? ['ask', question, tree, ...model] : ['resume', before.run];
  const { stdout, stderr, status } = await sonde([...args, '--json'], { home, env });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const asked = new Set(server.served.map(callOf));
  // What is counted there is what is written down here.
  expect(new Set((await recorded(home))?.calls)).toEqual(asked);
  return { outcome: JSON.parse(stdout) as Outcome, kills };
}

describe('kill -9 during sonde ask', () => {
  const tree = createSmallTree();
  let plain: Outcome;
  const servers: ModelServer[] = [];
  // Only spreads the kills: nothing rests on how long it takes.
  const slowPlan = async (prompt: string) => {
    await pause(60);
    return searchPlan(prompt);
  };
  const newServer = async () => {
    const server = await modelServer(slowPlan);
    servers.push(server);
    return server;
  };

  beforeAll(async () => {
    const server = await newServer();
    ({ outcome: plain } = await askThroughKills(tree, server, []));
    expect(plain).toMatchObject({ stop_reason: 'finalized', spent: { calls: 5 } });
    expect(server.served).toHaveLength(5);
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  const rounds = Array.from({ length: 10 }, (_, n) => n);
  it.each(rounds)('at random instants, round %i', async () => {
    const server = await newServer();
    const asks = [1, 1].map((min) => min + Math.floor(Math.random() * 2));
    const { outcome, kills } = await askThroughKills(tree, server, asks);
    expect([outcome.answer, outcome.citations, outcome.stop_reason]).toEqual([
      plain.answer,
      plain.citations,
      plain.stop_reason,
    ]);
    for (const { calls, served } of kills) {
      const asked = server.served.slice(served).map(callOf);
      for (const call of calls) expect(asked).not.toContain(call);
    }
    // A call can be served twice only where the process died before it could write the reply down.
    const keys = server.served.map(({ key }) => key);
    expect(keys.length - new Set(keys).size).toBeLessThanOrEqual(asks.length);
    // Four of the planner, and the reader.
    expect(new Set(keys).size).toBe(5);
  });
});
