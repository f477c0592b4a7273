import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../core/index.ts';
import { chooseModels } from './choose.ts';
import { type Loopback, openLoopback } from './loopback.contract.ts';
import { modelForms } from './model-names.ts';
import { ollamaAddress } from './providers/ollama/address.ts';
import type { ModelPorts, ModelSettings, ProviderValues } from './settings.ts';

let server: Loopback;
beforeAll(async () => {
  server = await openLoopback();
});
afterAll(() => server.close());

const ports = (over: Partial<ModelPorts> = {}): ModelPorts => ({
  fetch: globalThis.fetch,
  clock: systemClock,
  env: {},
  which: () => undefined,
  readFile: (path) => {
    throw new Error(`no such file: ${path}`);
  },
  ...over,
});
const sample = async () => ({});
const which = (program: string) => `/bin/${program}`;
const key = 'sk-0123456789';
const hidden = { reveal: () => key, toJSON: () => '(hidden)' };
const anthropic: ProviderValues = { anthropic_api_key: hidden };
const openai: ProviderValues = { openai_api_key: hidden };

const choices: readonly (readonly [
  what: string,
  Partial<ModelSettings>,
  Partial<ModelPorts>,
  planner: string,
  analyst: string,
  why: RegExp,
])[] = [
  ['nothing', {}, {}, 'extractive', 'extractive', /no model is configured/],
  ['auto is nothing said', { model: 'auto' }, {}, 'extractive', 'extractive', /no model/],
  [
    'an Anthropic key',
    { values: { ...openai, ...anthropic } },
    {},
    'anthropic:claude-sonnet-5-5',
    'anthropic:claude-haiku-5-5',
    /ANTHROPIC_API_KEY is set/,
  ],
  ['an OpenAI key', { values: openai }, {}, 'openai:gpt-6.1-sol', 'openai:gpt-6.1-terra', /OPENAI_API_KEY/],
  [
    "OpenAI's own address",
    { values: { ...openai, openai_base_url: 'https://api.openai.com/v1' } },
    {},
    'openai:gpt-6.1-sol',
    'openai:gpt-6.1-terra',
    /OPENAI_API_KEY/,
  ],
  [
    'a name comes first',
    { values: anthropic, model: 'extractive' },
    {},
    'extractive',
    'extractive',
    /configured as extractive/,
  ],
  [
    'a bare Claude',
    { values: anthropic, model: 'claude-opus-5-5' },
    {},
    'anthropic:claude-opus-5-5',
    'anthropic:claude-haiku-5-5',
    /configured/,
  ],
  [
    'a Claude at another address, where nobody knows what else is served',
    {
      values: { ...anthropic, anthropic_base_url: 'https://proxy.example/v1' },
      model: 'claude-opus-5-5',
    },
    {},
    'anthropic:claude-opus-5-5',
    'anthropic:claude-opus-5-5',
    /configured/,
  ],
  [
    'a model whose price nobody knows',
    { values: openai, model: 'openai:gpt-9' },
    {},
    'openai:gpt-9',
    'openai:gpt-9',
    /configured/,
  ],
  [
    'an analyst that is named',
    { values: anthropic, model: 'claude-opus-5-5', analyst: 'claude-sonnet-5' },
    {},
    'anthropic:claude-opus-5-5',
    'anthropic:claude-sonnet-5',
    /configured/,
  ],
  [
    'a bare GPT',
    { values: openai, model: 'gpt-6-luna' },
    {},
    'openai:gpt-6-luna',
    'openai:gpt-6-luna',
    /configured/,
  ],
  [
    'a tier each',
    { values: anthropic, analyst: 'ollama:llama' },
    {},
    'anthropic:claude-sonnet-5-5',
    'ollama:llama',
    /ANTHROPIC/,
  ],
  [
    'a name with a colon in it',
    { model: 'ollama:qwen3:8b' },
    {},
    'ollama:qwen3:8b',
    'ollama:qwen3:8b',
    /configured/,
  ],
  [
    'a key with an address belongs to the server there',
    { values: { ...openai, openai_base_url: 'https://gateway.example/v1' }, model: 'openai-compatible:m' },
    {},
    'openai-compatible:m',
    'openai-compatible:m',
    /configured/,
  ],
  [
    'a form of OpenAI that is named for another address',
    { values: { ...openai, openai_base_url: 'https://gateway.example/v1' }, analyst: 'openai:gpt-6-luna' },
    {},
    'openai:gpt-6.1-sol',
    'openai:gpt-6-luna',
    /OPENAI_API_KEY/,
  ],
  [
    'an address that is set comes after keys',
    { values: { vllm_base_url: 'http://gpu:8000/v1', ...anthropic } },
    {},
    'anthropic:claude-sonnet-5-5',
    'anthropic:claude-haiku-5-5',
    /ANTHROPIC/,
  ],
  ['an agent is not taken unasked', {}, { which }, 'extractive', 'extractive', /no model/],
  [
    'an agent that is allowed',
    { agents: true },
    { which },
    'claude-cli',
    'claude-cli',
    /claude is installed/,
  ],
  [
    'an agent by name',
    { model: 'codex-cli:gpt-6-sol' },
    {},
    'codex-cli:gpt-6-sol',
    'codex-cli:gpt-6-sol',
    /configured/,
  ],
  ['the client of MCP', {}, { sample }, 'mcp', 'mcp', /MCP client/],
];

test.each(choices)('%s', async (_what, settings, over, planner, analyst, why) => {
  const chosen = await chooseModels({ values: {}, ...settings }, ports(over));
  expect([chosen.planner.model.name, chosen.analyst.model.name]).toEqual([planner, analyst]);
  expect(chosen.planner.why).toMatch(why);
});

test('a base URL without a model takes the first that the server lists, and the key goes there', async () => {
  const settings = { values: { ...openai, openai_base_url: `${server.origin}/v1/` } };
  const { planner } = await chooseModels(settings, ports());
  expect(planner.model).toMatchObject({ name: 'openai-compatible:served-model', local: true });
  server.behave({ kind: 'text', text: 'hi' });
  const asked = { messages: [{ role: 'user' as const, text: 'go' }], maxOutputTokens: 10, timeoutMs: 5000 };
  expect(await planner.model.generate(asked)).toMatchObject({ kind: 'reply' });
  expect(server.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`);
});

test('a server that does not answer is passed over by auto, with the reason', async () => {
  const { planner } = await chooseModels({ values: { ollama_host: '127.0.0.1:9' } }, ports());
  expect(planner.model.name).toBe('extractive');
  expect(planner.passedOver).toEqual(['The model ollama cannot be used: its list of models cannot be read']);
});

test.each([
  ['gpt5', /not the name of a model/, /anthropic\[:MODEL\].*scripted:FILE/],
  ['', /^$/, /^$/],
  ['anthropic:claude-opus-5-5', /ANTHROPIC_API_KEY is not set/, /Set ANTHROPIC_API_KEY/],
  ['openai', /OPENAI_API_KEY is not set/, /OPENAI_API_KEY/],
  ['openai-compatible:x', /no base URL/, /OPENAI_BASE_URL/],
  ['mcp', /offers no sampling/, /Configure a model/],
  ['scripted:gone.jsonl', /no such file: gone.jsonl/, /path/],
  ['scripted:', /no file is named/, /scripted:FILE/],
])('a name that cannot be used: %j', async (model, message, remedy) => {
  const chosen = chooseModels({ model, values: {} }, ports());
  if (model === '') return expect(await chosen).toMatchObject({ planner: { why: 'no model is configured' } });
  await expect(chosen).rejects.toMatchObject({
    code: 'model_config',
    message: expect.stringMatching(message),
    remedy: expect.stringMatching(remedy),
  });
});

test('of a catalogue none is taken by chance', async () => {
  const fetch: typeof globalThis.fetch = async () => Response.json({ data: [{ id: 'a' }, { id: 'b' }] });
  const settings = { values: { ...openai, openai_base_url: 'https://many.example/v1' } };
  const { planner } = await chooseModels(settings, ports({ fetch }));
  expect(planner.model.name).toBe('extractive');
  expect(planner.passedOver[0]).toContain('it serves 2 models and none is named');
});

test('a script is one sequence for both tiers', async () => {
  const { planner, analyst } = await chooseModels(
    { model: 'scripted:s', values: {} },
    ports({ readFile: () => '"one"\n"two"' }),
  );
  expect(analyst.model).toBe(planner.model);
});

test('no secret is in a name, a reason or an error', async () => {
  const chosen = await chooseModels({ values: anthropic }, ports());
  expect(JSON.stringify(chosen)).not.toContain(key);
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['127.0.0.1:9999', 'http://127.0.0.1:9999/v1'],
  ['gpu-box', 'http://gpu-box:11434/v1'],
  ['https://ollama.example', 'https://ollama.example/v1'],
  ['http://gpu-box:80', 'http://gpu-box/v1'],
])('OLLAMA_HOST %s is %s', (host, address) => {
  expect(ollamaAddress(host)).toBe(address);
});

test('every form that is listed begins with a name that is known', async () => {
  for (const [form] of modelForms) {
    const model = form
      .replace(/\[.*\]/, '')
      .replace('MODEL', 'm')
      .replace('FILE', 'f');
    const outcome = await chooseModels({ model, values: {} }, ports()).catch(
      (thrown: Error) => thrown.message,
    );
    expect(String(outcome)).not.toContain('not the name of a model');
  }
});
