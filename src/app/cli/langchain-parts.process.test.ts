/** What the launcher puts in the place of parts of LangChain does their work, and sends nothing anywhere. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HumanMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { newHome, sonde } from '../testbed/run-sonde.ts';

interface Parts {
  load(text: string): Promise<unknown>;
  toJsonSchema(schema: unknown): unknown;
}
const parts = (await import(new URL('../../../bin/langchain-parts.mjs', import.meta.url).href)) as Parts;

it('reads a serialised object of LangChain', async () => {
  const message = await parts.load(JSON.stringify(new HumanMessage('Who retries?')));
  expect(message).toBeInstanceOf(HumanMessage);
});

it('makes the JSON Schema of a state', () => {
  expect(parts.toJsonSchema(z.object({ message: z.string() }))).toMatchObject({
    properties: { message: { type: 'string' } },
  });
});

it('a conversation sends nothing to LangSmith, whatever the environment says', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  const home = newHome();
  await sonde(['world', 'new', 'main'], { home });
  const { status, stdout, stderr } = await sonde(['chat'], {
    home,
    input: 'What is a budget?\n',
    env: {
      SONDE_MODEL: 'extractive',
      LANGSMITH_TRACING: 'true',
      LANGSMITH_API_KEY: 'key',
      LANGSMITH_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
  });
  server.close();
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/^sonde: /m)]);
  expect(stdout).not.toBe('');
  expect(requests).toBe(0);
});
