import { systemClock } from '../core/index.ts';
import { anthropicModel } from './anthropic.ts';
import { claudeCli } from './claude-cli.ts';
import { codexCli } from './codex-cli.ts';
import { fakeAgent, printed } from './fake-agent.contract.ts';
import { loopback } from './loopback.contract.ts';
import { modelContract, type Subject } from './model.contract.ts';
import type { Model } from './model.ts';
import { openaiModel } from './openai.ts';
import { openaiCompatibleModel } from './openai-compatible.ts';
import { samplingModel } from './sampling.ts';
import { scriptedModel } from './scripted.ts';

async function overWire(make: (baseUrl: string) => Model): Promise<Subject> {
  const server = await loopback();
  return {
    model: make(`${server.origin}/v1`),
    answer: (text) => server.behave({ kind: 'text', text }),
    hang: () => server.behave({ kind: 'hang' }),
    asked: () => server.requests.length > 0,
    close: () => server.close(),
  };
}

const access = { apiKey: 'sk-conformance-0123456789', fetch: globalThis.fetch, clock: systemClock };

modelContract('anthropic', () =>
  overWire((baseUrl) => anthropicModel('claude-sonnet-5-5', { ...access, baseUrl })),
);
modelContract('openai', () => overWire((baseUrl) => openaiModel('gpt-6.1-sol', { ...access, baseUrl })));
modelContract('openai-compatible', () =>
  overWire((baseUrl) => openaiCompatibleModel('openai-compatible', 'some-model', { ...access, baseUrl })),
);
modelContract('ollama', () =>
  overWire((baseUrl) => openaiCompatibleModel('ollama', 'llama', { ...access, baseUrl })),
);

for (const [name, open, print] of [
  ['claude-cli', claudeCli, printed.claude],
  ['codex-cli', codexCli, printed.codex],
] as const)
  modelContract(name, () => {
    const agent = fakeAgent();
    return {
      model: open('some-model', { command: agent.command, env: process.env }),
      answer: (text) => agent.act({ stdout: print(text) }),
      hang: () => agent.act({ hang: true }),
      asked: () => agent.began(),
      close: agent.remove,
    };
  });

modelContract('mcp sampling', () => {
  let next: () => Promise<unknown> = async () => undefined;
  let calls = 0;
  return {
    model: samplingModel(() => {
      calls++;
      return next();
    }),
    answer: (text) => {
      next = async () => ({ role: 'assistant', model: 'client', content: { type: 'text', text } });
    },
    hang: () => {
      next = () => new Promise(() => {});
    },
    asked: () => calls > 0,
    close: () => {},
  };
});

modelContract('scripted', () => {
  let line: string | { readonly delay_ms: number; readonly text: string } = '';
  const model = scriptedModel(() => line);
  return {
    model,
    answer: (text) => {
      line = text;
    },
    hang: () => {
      line = { delay_ms: 100_000, text: 'never' };
    },
    asked: () => model.calls.length > 0,
    close: () => {},
  };
});
