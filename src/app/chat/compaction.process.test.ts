/** world.md: Compaction 3 and 5: the planner's own tool and what happens near the context window, in `sonde chat`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, modelServer } from '../testbed/model-server.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import { sonde } from '../testbed/sonde-here.ts';

let home: string;
let model: ModelServer;

const say = (text: string, ...calls: readonly (readonly [string, object])[]): string =>
  JSON.stringify({ text, calls: calls.map(([name, args]) => ({ name, args: JSON.stringify(args) })) });

/** What the person said last, and what was shown since. */
const since = (prompt: string): string => prompt.slice(prompt.lastIndexOf('## The person\n'));

function talker(prompt: string): string {
  if (prompt.includes('Only what you write now stays'))
    return JSON.stringify({
      summary: 'They spoke of tides.',
      insights: [{ tier: 'workspace', key: 'tides', text: 'twice a day' }],
    });
  const turn = since(prompt);
  if (turn.includes('compact please') && !turn.includes('## compact_history ('))
    return say('', ['compact_history', { keep_turns: 1 }]);
  if (turn.includes('analyse please') && !turn.includes('## task (')) {
    const params = { subgraph: 'import-analyst', input: { proposals: 0 } };
    return say('', ['task', { shape: 'subagent-subgraph', params }]);
  }
  return say(turn.includes('"state":{"scope"') ? 'a report came' : 'heard');
}

beforeEach(async () => {
  home = newHome();
  await createSmallWorld(home);
  model = await modelServer(talker);
});
afterEach(() => model.close());

const chat = (input: string, env: Readonly<Record<string, string>> = {}) =>
  sonde(['chat', '--thread', 'one', '--model', 'openai-compatible:talker'], {
    home,
    input,
    env: {
      OPENAI_BASE_URL: model.address,
      OPENAI_API_KEY: 'sk-planted-0123456789',
      SONDE_READER: 'off',
      ...env,
    },
  });

describe('in a chat', () => {
  it('the planner is offered to compact its oldest turns, and what stays is the compact form', async () => {
    const { stderr } = await chat('first words\nsecond words\ncompact please\nlast words\n');
    expect(JSON.stringify(model.served[0]!.body.tools)).toContain('"compact_history"');
    expect(stderr).toContain('✓ compact_history · 4 messages were compacted.');
    const { prompt } = model.served.at(-1)!;
    expect(prompt).toContain('They spoke of tides.');
    expect(prompt).toContain('Worth keeping (workspace, tides): twice a day');
    // What the person said stays, word for word.
    for (const kept of ['1. first words', '2. second words']) expect(prompt).toContain(kept);
    expect(prompt).toContain('last words');
    // Nothing was remembered by it: that takes a call of a tool.
    const { stdout } = await sonde(['memory', 'search', 'twice'], { home });
    expect(stdout).not.toContain('twice a day');
  });

  it('the oldest turns go by themselves where that is configured, and it is told', async () => {
    const long = 'the tide comes in and goes out '.repeat(900);
    const input = `one ${long}\ntwo ${long}\nthree ${long}\n`;
    const env = { SONDE_AUTO_COMPACT: '0.8', SONDE_CONTEXT_WINDOW: '30000' };
    const { stderr } = await chat(input, env);
    expect(stderr).toMatch(
      /✓ compact_history by itself, at [\d,]+ of 30,000 tokens · [24] messages were compacted/,
    );
    expect(model.served.at(-1)!.prompt).toMatch(/1\. one the tide [^(]+\n\(\d+ characters are left out/);
    const before = model.served.length;
    const off = await sonde(['chat', '--thread', 'two', '--model', 'openai-compatible:talker'], {
      home,
      input,
      env: { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'x', SONDE_CONTEXT_WINDOW: '30000' },
    });
    expect(off.stderr).not.toContain('compact_history');
    expect(
      model.served.slice(before).some(({ prompt }) => prompt.includes('Only what you write now stays')),
    ).toBe(false);
  });

  // world.md: Task registry 1 and 15.
  it('the import analyst is offered by its name, and its report comes back as data', async () => {
    const { stdout, stderr } = await chat('analyse please\n');
    expect(JSON.stringify(model.served[0]!.body.tools)).toContain('subagent-subgraph: Looks over an import:');
    expect(stderr).toContain('✓ task');
    expect(stdout).toBe('a report came\n');
    expect(model.served.at(-1)!.prompt).toContain('<sonde-material source="task" trust="untrusted"');
  });
});
