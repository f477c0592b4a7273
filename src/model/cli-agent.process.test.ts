import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentOutput, type FakeAgent, fakeAgent } from './fake-agent.contract.ts';
import type { ModelRequest } from './model.ts';
import { claudeCli } from './providers/claude-cli/claude-cli.ts';
import { codexCli } from './providers/codex-cli/codex-cli.ts';

let agent: FakeAgent;
beforeEach(() => {
  agent = fakeAgent();
});
afterEach(() => agent.remove());

const secret = 'sk-ant-very-secret-0001';
const connection = () => ({
  command: agent.command,
  env: {
    PATH: '/usr/bin:/bin',
    HOME: '/home/someone',
    ANTHROPIC_API_KEY: secret,
    CODEX_HOME: '/c',
    SONDE_OTHER: 'mine',
  },
});
const json = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
const request: ModelRequest = {
  messages: [
    { role: 'system', text: 'Be short; $(touch owned) `id` "quoted"' },
    { role: 'user', text: 'What is in the box?' },
  ],
  schema: { name: 'box', json },
  maxOutputTokens: 700,
  timeoutMs: 20_000,
};

test('claude: the prompt on standard input, tools off, an empty directory, few variables', async () => {
  agent.behave({ stdout: agentOutput.claude('a cat') });
  const reply = await claudeCli('opus', connection()).generate(request);
  expect(reply).toMatchObject({
    kind: 'reply',
    text: 'a cat',
    usd: 0.0123,
    model: 'claude-answering',
    usage: { input: 120, output: 30, cacheRead: 80, cacheWrite: 10, estimated: false },
  });
  const saw = agent.invocation();
  expect(saw.args.join(' ')).toContain('-p --output-format json --tools  --strict-mcp-config');
  expect(saw.args.slice(-2)).toEqual(['--model', 'opus']);
  expect(saw.args.join(' ')).not.toContain('box');
  expect(saw.stdin).toContain('$(touch owned) `id` "quoted"');
  expect(saw.stdin).toContain(JSON.stringify(json));
  expect(saw.files).toEqual([]);
  expect(existsSync(saw.cwd)).toBe(false);
  expect(saw.env).toMatchObject({ CLAUDE_CODE_MAX_OUTPUT_TOKENS: '700', ANTHROPIC_API_KEY: secret });
  expect(saw.env['SONDE_OTHER']).toBeUndefined();
  expect(saw.env['CODEX_HOME']).toBeUndefined();
});

test('codex: read-only, ephemeral, the schema as a file, the key of another provider kept back', async () => {
  agent.behave({ stdout: agentOutput.codex('{"a":"cat"}') });
  const reply = await codexCli(undefined, connection()).generate(request);
  expect(reply).toMatchObject({
    kind: 'reply',
    text: '{"a":"cat"}',
    usage: { input: 120, output: 30, cacheRead: 80, estimated: false },
  });
  const saw = agent.invocation();
  expect(saw.args.join(' ')).toMatch(
    /^exec --json --sandbox read-only .*--ephemeral.*--output-schema \S+ -$/,
  );
  expect(saw.files).toEqual([]);
  expect(saw.env['ANTHROPIC_API_KEY']).toBeUndefined();
});

test('usage that is not printed is estimated and marked', async () => {
  agent.behave({ stdout: JSON.stringify({ type: 'result', result: 'a cat' }) });
  expect(await claudeCli(undefined, connection()).generate(request)).toMatchObject({
    text: 'a cat',
    usage: { estimated: true },
  });
  agent.behave({
    stdout: JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: 'a cat' } }),
  });
  expect(await codexCli(undefined, connection()).generate(request)).toMatchObject({
    text: 'a cat',
    usage: { estimated: true },
  });
});

const said = (result: string) => JSON.stringify({ type: 'result', is_error: true, result });
test.each([
  ['not logged in', { stdout: said('Invalid API key · Please run /login'), exit: 1 }, 'auth', /log in/],
  [
    'an unknown model',
    { stdout: said("There's an issue with the selected model (nope)"), exit: 1 },
    'unknown_model',
    /spelling/,
  ],
  ['a limit', { stdout: said('Claude AI usage limit reached|1790000000'), exit: 1 }, 'rate_limited', /Wait/],
  [
    'overload',
    { stdout: said('API Error: 529 {"type":"overloaded_error"}'), exit: 1 },
    'overloaded',
    /later/,
  ],
  [
    'a long prompt',
    { stdout: said('Prompt is too long'), exit: 1 },
    'context_overflow',
    /Show the model less/,
  ],
  [
    'an old version',
    { stderr: "error: unknown option '--tools'", exit: 1 },
    'bad_request',
    /Update Claude Code/,
  ],
  ['a crash', { stderr: 'Segmentation fault', exit: 139 }, 'bad_request', /./],
  ['no JSON', { stdout: 'Hello! How can I help?' }, 'bad_response', /./],
  ['nothing', {}, 'bad_response', /./],
  ['a key in its error', { stderr: `bad key ${secret}`, exit: 1 }, 'bad_request', /./],
] as const)('claude with %s', async (_what, act, code, remedy) => {
  agent.behave(act);
  const failed = await claudeCli(undefined, connection()).generate(request);
  expect(failed).toMatchObject({ kind: 'failure', code, remedy: expect.stringMatching(remedy) });
  expect(JSON.stringify(failed)).not.toContain(secret);
});

test('codex that failed says why', async () => {
  const lines = [
    { type: 'error', message: 'Reconnecting... 1/5' },
    { type: 'turn.failed', error: { message: "The 'nope' model is not supported" } },
  ];
  agent.behave({ stdout: lines.map((line) => JSON.stringify(line)).join('\n'), exit: 1 });
  expect(await codexCli('nope', connection()).generate(request)).toMatchObject({
    kind: 'failure',
    code: 'unknown_model',
  });
});

test('a program that is not there is named, with what to do', async () => {
  const failed = await claudeCli(undefined, { ...connection(), command: '/nowhere/claude' }).generate(
    request,
  );
  expect(failed).toMatchObject({ kind: 'failure', code: 'unreachable', usage: 'none', retryable: false });
  expect(failed).toMatchObject({
    message: expect.stringContaining('/nowhere/claude'),
    remedy: expect.stringContaining('Install'),
  });
});

test('a timeout ends the program and everything it started', async () => {
  agent.behave({ hang: true });
  // As much time as it takes the program to begin here.
  for (let timeoutMs = 1_000; !agent.wasStarted(); timeoutMs *= 2) {
    const failed = await claudeCli(undefined, connection()).generate({ ...request, timeoutMs });
    expect(failed).toMatchObject({ kind: 'failure', code: 'timeout' });
  }
  const { pid, child } = agent.invocation();
  while (isAlive(pid) || isAlive(child)) await delay(50);
});

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) throw new Error('there is no such process to look for');
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
