/** `sonde chat` on a terminal: a pseudo terminal of the system's Python, if there is one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedReply } from '../agent/channel/channel.contract.ts';
import { decision, isPlanner, readLastTurn } from '../testbed/conversation.contract.ts';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { environmentOf, launcher, newHome } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

const pty = fileURLToPath(new URL('../testbed/pseudo_terminal.py', import.meta.url));
// Where CI is set, a missing one is a failure.
const python =
  process.env['CI'] !== undefined ||
  spawnSync('python3', ['-c', 'import pty'], { stdio: 'ignore' }).status === 0;

let home: string;
let model: ModelServer;
beforeEach(async () => {
  home = newHome();
  await createSmallWorld(home);
});
afterEach(() => model.close());

/** What a person waits to see, and then types. */
type Step = readonly [seen: string, typed: string];

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

/** What was seen, as it was written and without what moves the cursor or sets colours. */
async function typed(steps: readonly Step[], onText: (soFar: string) => void = () => {}) {
  const flags = ['chat', '--thread', 'one', '--model', 'openai-compatible:talker'];
  const terminal = spawn('python3', [pty, process.execPath, launcher, ...flags], {
    env: {
      ...environmentOf({
        home,
        env: { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-test-0123456789' },
      }),
      TERM: 'xterm',
    },
  });
  child = terminal;
  terminal.stdin.end(steps.map((step) => `${JSON.stringify(step)}\n`).join(''));
  let raw = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    onText(raw);
  });
  const status = await new Promise((done) => terminal.once('close', done));
  return { status, raw, text: stripVTControlCharacters(raw) };
}

const leave: Step = ['› ', '\u0004'];

/** `ask`, `look` and `slow` as on every channel; `hand` hands on work that waits for `release`. */
let released = Promise.withResolvers<void>();
async function reply(prompt: string): Promise<string> {
  if (!isPlanner(prompt)) {
    await released.promise;
    return '```python\nkb_read("Lighthouse/Lamp")\nFINAL("It burns paraffin [Lighthouse/Lamp:1].")\n```';
  }
  const turn = readLastTurn(prompt);
  if (!turn.includes('## The person\nhand')) return scriptedReply(prompt);
  if (turn.includes('\n## task (')) return decision('it burns paraffin');
  const params = { prompt: `What does the lamp burn, ${'and why, '.repeat(20)}and since when?` };
  return decision('', ['task', { shape: 'investigation', params }]);
}

describe.skipIf(!python)(`on a terminal${python ? '' : ' (skipped: there is no python3 with pty)'}`, () => {
  it('streams the answer, folds what tools do into a line each, and answers a question inline', async () => {
    model = await modelServer(reply);
    const { status, text, raw } = await typed([
      ['› ', 'look for it\r'],
      ['model calls', 'ask me\r'],
      ['answer › ', 'the red\r'],
      ['you chose the red', '/runs\r'],
      ['tokens  look for it', '/budget\r'],
      ['last turn', '/inbox\r'],
      ['Nothing waits for you.', '/role Speak plainly\r'],
      ['role: Speak plainly', '/nonsense\r'],
      ['/help lists them.', '\u0004'],
    ]);
    expect(status).toBe(0);
    expect(text).toMatch(/ {2}✓ search_pages lighthouse · \d+ lines\r\n/);
    expect(text).toContain('found true\r\n');
    expect(text).toContain('? Which one?');
    expect(text).toMatch(/run-\w+ {2}finished {4}\d+ tokens {2}ask me/);
    expect(text).toContain('all 2 turns:');
    // An answer that came in pieces is not written a second time.
    expect(text.match(/found true/g)).toHaveLength(1);
    // Only one line is ever rewritten, so none may be wider than the terminal.
    for (const line of raw.split(/[\r\n]/)) {
      const shown = stripVTControlCharacters(line);
      if (shown.startsWith('  … ')) expect(shown.length).toBeLessThan(60);
    }
  });

  it('shows work that is handed on while it goes on, takes /cancel and Ctrl-C, and says what waits', async () => {
    model = await modelServer(reply);
    released = Promise.withResolvers<void>();
    // Three times it is cancelled, while the model is asked or before; after that it is answered.
    const release = (soFar: string) => {
      if (soFar.split('Cancelled').length > 3) released.resolve();
    };
    const steps: readonly Step[] = [
      ['› ', 'hand it on\r'],
      ['task investigation', 'and then this\r'],
      ['reaches the agent at its next step', '/cancel\r'],
      ['heard: and then this', 'hand it on\r'],
      ['task investigation', '/cancel\r'],
      ['Cancelled', '/runs\r'],
      ['Delegated runs', '/continue\r'],
      ['task investigation', '\u0003'],
      ['Cancelled', '/continue\r'],
      ['it burns paraffin', '\u0003'],
    ];
    const { status, text } = await typed(steps, release);
    expect(text).toMatch(/run-\w+ {2}unfinished {2}investigation: What does the lamp burn/);
    expect(text).toMatch(
      / {2}✓ task investigation: What does the lamp burn.* · (?:verified|partial|unverified)\r\n/,
    );
    expect(text).toContain('it burns paraffin\r\n');
    expect(status).toBe(0);
  });

  it('leaves at Ctrl-C where nothing runs', async () => {
    model = await modelServer(reply);
    expect(await typed([['› ', '\u0003']])).toMatchObject({ status: 0 });
    expect(await typed([leave])).toMatchObject({ status: 0 });
  });
});
