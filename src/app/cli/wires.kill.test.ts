/**
 * One question over a large tree through each provider's wire, its process killed (`kill -9`) at every request and
 * behind every reply: the next one sends what the first sent, byte for byte, and no reply that was kept is paid again.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { PlayedTurn } from '../../model/dialogue/played-turn.contract.ts';
import { type StrictServer, strictServer } from '../../model/dialogue/strict-server.contract.ts';
import { openStore } from '../../store/index.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';

/** This project itself. */
const tree = new URL('../../..', import.meta.url).pathname;
const question = 'Where is `openSteps` defined, and what does a step do before it sends a request?';
const looks = [
  { name: 'open_span', input: { file_path: 'src/store/runs/steps.ts', start_line: 1, end_line: 60 } },
  { name: 'grep', input: { pattern: 'openSteps\\(' } },
  { name: 'find_definition', input: { symbol: 'writerOf' } },
] as const;

interface Way {
  readonly model: string;
  readonly env: (origin: string) => Readonly<Record<string, string>>;
  readonly inTags?: true;
}

/** OpenAI's own address can't be named otherwise. */
const led = (origin: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const real = globalThis.fetch;
     globalThis.fetch = (to, how) => real(String(to).replace('https://api.openai.com', '${origin}'), how);`,
  )}`,
});
const key = 'sk-planted-0123456789';
const ways: Readonly<Record<string, Way>> = {
  anthropic: {
    model: 'anthropic:claude-sonnet-4-6',
    env: (origin) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `${origin}/v1` }),
  },
  openai: { model: 'openai:gpt-5.1', env: (origin) => ({ OPENAI_API_KEY: key, ...led(origin) }) },
  chat: {
    model: 'openai-compatible:some-model',
    env: (origin) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${origin}/v1` }),
  },
  'text tags': {
    model: 'openai-compatible:some-model',
    env: (origin) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${origin}/v1` }),
    inTags: true,
  },
};

type Call = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

function played({ inTags }: Way, calls: readonly Call[]): PlayedTurn {
  if (inTags !== true)
    return { calls: calls.map(({ name, input }) => ({ name, args: JSON.stringify(input) })) };
  const written = calls.map(({ name, input }) => {
    const args = Object.entries(input).map(([each, value]) => `<arg name="${each}">${value}</arg>`);
    return [`<call name="${name}">`, ...args, '</call>'].join('\n');
  });
  return { text: written.join('\n') };
}

const story = (way: Way, answer: string): readonly PlayedTurn[] => [
  ...(way.inTags ? [{ error: { status: 400, message: 'some-model does not support tools' } }] : []),
  played(way, looks.slice(0, 2)),
  played(way, looks.slice(2)),
  played(way, [{ name: 'finalize', input: { answer, confidence: 0.8 } }]),
];

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Around {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
}

async function runOf({ home }: Around): Promise<string | null> {
  const store = openStore(`${home}/data/sonde.db`);
  try {
    return (await store.runs.list(1))[0]?.id ?? null;
  } finally {
    await store.close();
  }
}

async function kept({ home }: Around, kind: 'model_replied' | 'model_called'): Promise<number> {
  const store = openStore(`${home}/data/sonde.db`);
  try {
    const [row] = await store.runs.list(1);
    return row === undefined
      ? 0
      : (await store.events(row.id)).filter(({ event }) => event.kind === kind).length;
  } finally {
    await store.close();
  }
}

const argsOf = (around: Around, run: string | null) =>
  run === null ? ['ask', question, tree, '--model', around.model, '--json'] : ['resume', run, '--json'];

/** Killed once `look` says so. */
async function killedAt(
  around: Around,
  run: string | null,
  look: () => boolean | Promise<boolean>,
): Promise<void> {
  const started = startSonde(argsOf(around, run), around);
  await started.waitFor(look);
  started.child.kill('SIGKILL');
  await started.ended;
}

async function ended(around: Around, run: string | null) {
  const { stdout, stderr, status } = await sonde(argsOf(around, run), around);
  expect([0, 3], stderr).toContain(status);
  return JSON.parse(stdout) as {
    readonly answer: string;
    readonly status: string;
    readonly spent: { calls: number };
  };
}

async function opened(way: Way): Promise<{ readonly server: StrictServer; readonly around: Around }> {
  const server = await strictServer();
  ends.push(server.close);
  server.repeatsAnswers = true;
  return {
    server,
    around: { home: newHome(), env: { ...way.env(server.origin), SONDE_READER: 'off' }, model: way.model },
  };
}

describe.each(Object.keys(ways))('%s', (name) => {
  const way = ways[name]!;

  it('killed at each request and behind each reply', async () => {
    // Ids of evidence follow from what was read: a first run tells them.
    const first = await opened(way);
    first.server.play(...story(way, 'nothing'));
    await ended(first.around, null);
    const shown = JSON.stringify(first.server.requests.map(({ raw }) => raw));
    const [cited] = shown.match(/ev-[0-9a-f]{10}(?= src\/store\/runs\/steps\.ts)/) ?? [];
    expect(cited).toBeDefined();

    const { server, around } = await opened(way);
    const turns = story(way, `It is defined in the store [${cited}].`);
    const asked = () => new Set(server.requests.map(({ raw }) => raw)).size;
    const refused = turns.filter(({ error }) => error !== undefined).length;
    server.play(...turns);
    let run: string | null = null;
    let kills = 0;
    for (let n = 1; n <= turns.length; n += 1) {
      // On its way, then kept.
      await killedAt(around, run, () => asked() >= n);
      run = await runOf(around);
      kills += 1;
      if (n <= refused || n === turns.length) continue;
      await killedAt(around, run, async () => (await kept(around, 'model_replied')) >= n - refused);
      kills += 1;
    }
    const before = server.requests.length;
    const replies = await kept(around, 'model_replied');
    const result = await ended(around, run);
    expect(result.answer).toContain(`[${cited}]`);
    // Nothing was asked in other words, and nothing that was answered and kept was asked again.
    expect(asked()).toBe(turns.length);
    expect(server.requests.length - before).toBeLessThanOrEqual(turns.length - refused - replies);
    expect(server.requests.length).toBeLessThanOrEqual(turns.length + kills);
    expect(await kept(around, 'model_replied')).toBe(turns.length - refused);
    // Those that were on their way may have been billed.
    expect(result.spent.calls).toBeLessThanOrEqual(turns.length + kills);
  });
});
