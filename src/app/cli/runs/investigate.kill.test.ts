/** `sonde investigate` through kill -9: what is sent again is the same byte for byte, and no reply is paid twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../store/index.ts';
import { type ModelServer, modelServer } from '../../testbed/model-server.ts';
import { newHome, sonde, startSonde } from '../../testbed/run-sonde.ts';
import { createLargerTree } from '../../testbed/small-tree.ts';

const question = 'How is a failed delivery retried?';
const code = (...lines: readonly string[]) => `\`\`\`python\n${lines.join('\n')}\n\`\`\``;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe('kill -9', () => {
  const tree = createLargerTree();
  const servers: ModelServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  /** Three turns with questions to the analyst between, and names that have to last. */
  const turns = [
    code(
      'import random',
      'lucky = random.random()',
      'hits = kb_search("failed delivery retried", wide=True)',
      'notes = llm_query_batched([f"q{n}" for n in range(6)])',
    ),
    code(
      'text = kb_read("src/delivery.ts")',
      'n = next(n for n, line in text.lines if "failed" in line)',
      'child = investigate("count", context=[1, 2, 3])',
    ),
    code('before = lucky', 'import time', 'x = sum(range(200000))', 'notes.append(llm_query("last"))'),
    code(
      'FINAL("A failed attempt waits twice as long " + cite("src/delivery.ts", n) + f". Asked {len(notes)} of {lucky == before}, child {child}.")',
    ),
  ];
  /** The pause only spreads the kills: nothing rests on how long it takes. */
  async function answer(prompt: string): Promise<string> {
    await pause(30);
    if (!prompt.includes('You investigate a question by writing Python')) return 'an answer';
    if (prompt.includes('the investigation that asks this')) return code('FINAL(str(sum(context)))');
    return (
      turns[Number([...prompt.matchAll(/^Turn (\d+);/gm)].at(-1)?.[1] ?? 1) - 1] ?? code('FINAL("too far")')
    );
  }

  async function recorded(home: string): Promise<{ run: string; calls: string[] } | null> {
    const store = openStore(`${home}/data/sonde.db`);
    try {
      const [row] = await store.runs.list(1);
      if (row === undefined) return null;
      const replied = (await store.events(row.id)).flatMap(({ event }) =>
        event.kind === 'model_replied' ? [event.call.replace(/\/attempt-\d+$/, '')] : [],
      );
      return { run: row.id, calls: replied };
    } finally {
      await store.close();
    }
  }

  /** Each kill comes when so many more calls have been asked for, at some instant of the last. */
  async function through(asks: readonly number[]) {
    const server = await modelServer(answer);
    servers.push(server);
    const home = newHome();
    const env = { OPENAI_BASE_URL: server.address, OPENAI_API_KEY: 'sk-planted-qwertzuiop' };
    const args = async () => {
      const before = await recorded(home);
      return before === null
        ? ['investigate', question, tree, '--model', 'openai-compatible:planned', '--json']
        : ['resume', before.run, '--json'];
    };
    const kills: { calls: string[]; served: number }[] = [];
    for (const more of asks) {
      const goal = server.served.length + more;
      const { child, ended } = startSonde(await args(), { home, env });
      while (server.served.length < goal && child.exitCode === null) await pause(2);
      await pause(Math.random() * 60);
      child.kill('SIGKILL');
      await ended;
      const now = await recorded(home);
      if (now !== null) kills.push({ calls: now.calls, served: server.served.length });
    }
    const { stdout, stderr, status } = await sonde(await args(), { home, env });
    // Its answer is prose: without a reader nobody says whether the lines carry it.
    expect([0, 3], stderr).toContain(status);
    return { result: JSON.parse(stdout), kills, server, home, env };
  }

  /** The time that is left goes on. */
  const withoutBudget = (body: string) => body.replaceAll(/Turn \d+;[^"\\]*? left\./g, 'Turn.');
  const bodiesOf = ({ served }: ModelServer) =>
    [...new Set(served.map(({ body }) => withoutBudget(JSON.stringify(body))))].sort();

  let plain: { answer: string; status: string };
  let plainBodies: readonly string[];
  let plainCalls: readonly string[];
  let usual = 0;
  beforeAll(async () => {
    const { result, server, home } = await through([]);
    plain = result;
    plainBodies = bodiesOf(server);
    plainCalls = (await recorded(home))?.calls.toSorted() ?? [];
    usual = server.served.length;
    expect(plainBodies).toHaveLength(usual);
    expect(plain).toMatchObject({
      stop_reason: 'finalized',
      answer: expect.stringMatching(/Asked 7 of True, child 6\./),
    });
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'at two instants, round %i: same answer, the same bytes, no reply asked for again, and the same again from its log',
    async () => {
      const asks = [Math.random(), Math.random()].map((part) => Math.ceil((part * usual) / 2));
      const { result, kills, server, home, env } = await through(asks);
      expect([result.answer, result.status]).toEqual([plain.answer, plain.status]);
      for (const { calls, served } of kills) {
        const asked = server.served.slice(served).map(({ key }) => key);
        for (const call of calls) expect(asked).not.toContain(call);
      }
      for (const [key, all = []] of Object.entries(Object.groupBy(server.served, (one) => one.key)))
        expect({ key, bodies: new Set(all.map(({ body }) => JSON.stringify(body))).size }).toEqual({
          key,
          bodies: 1,
        });
      const bodies = bodiesOf(server);
      expect(bodies.filter((body) => !plainBodies.includes(body)).map((body) => body.slice(-400))).toEqual(
        [],
      );
      expect(bodies).toHaveLength(plainBodies.length);
      expect((await recorded(home))?.calls.toSorted()).toEqual(plainCalls);
      const again = await sonde(['replay', result.run_id, '--json'], { home, env });
      expect([0, 3]).toContain(again.status);
      expect(again.stderr).toContain('6 cells were run again');
      expect(again.stderr).toContain('all as recorded');
    },
  );
});
