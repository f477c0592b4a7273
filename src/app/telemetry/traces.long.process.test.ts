/** Traces of real commands at a collector that this test is. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

interface Sent {
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the form of OTLP, of which little is looked at
  readonly body: any;
}

let server: Server;
let url: string;
let sent: Sent[];
let status = 200;
const tree = createSmallTree();
const question = 'How is a failed delivery retried?';
const script = join(
  createSmallTree({
    'script.jsonl': [
      '{"reasoning": "look", "action": {"name": "hybrid_search", "query": "delivery retry", "k": 5}}',
      '{"reasoning": "done", "action": {"name": "finalize", "answer": "It is retried."}}',
      '',
    ].join('\n'),
  }),
  'script.jsonl',
);

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      sent.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
});
afterAll(() => server.close());
beforeEach(() => {
  sent = [];
  status = 200;
});

const spansOf = ({ body }: Sent) => body.resourceSpans[0].scopeSpans[0].spans;
const ask = (env: Readonly<Record<string, string>>) =>
  sonde(['ask', question, tree, '--json', '--model', `scripted:${script}`], { env });

it('of a question come to the collector, with its token and without a word of it', async () => {
  const plain = await ask({});
  const {
    status: exit,
    stderr,
    stdout,
  } = await ask({
    SONDE_TRACES_URL: url,
    SONDE_TRACES_TOKEN: 'planted-token-0123456789',
  });
  expect(exit, stderr).toBe(plain.status);
  expect(sent).toHaveLength(1);
  expect(sent[0]!.authorization).toBe('Bearer planted-token-0123456789');
  const names = spansOf(sent[0]!).map(({ name }: { name: string }) => name);
  expect(names[0]).toBe('invoke_agent research');
  expect(names).toContain('execute_tool hybrid_search');
  expect(names.some((name: string) => name.startsWith('chat '))).toBe(true);
  const all = JSON.stringify(sent[0]!.body);
  expect(all).not.toContain('delivery');
  expect(all).not.toContain('planted-token');
  expect(all).toContain(JSON.parse(stdout).run_id);
});

it('hold what was said where somebody asks for it', async () => {
  await ask({ SONDE_TRACES_URL: url, SONDE_TRACES_CONTENT: 'true' });
  expect(JSON.stringify(sent[0]!.body)).toContain('How is a failed delivery retried?');
});

it('that nobody takes fail no question, and nothing is sent where no collector is named', async () => {
  const plain = await ask({});
  expect(sent).toEqual([]);
  status = 400;
  const refused = await ask({ SONDE_TRACES_URL: url });
  expect([refused.status, refused.stderr]).toEqual([plain.status, expect.stringContaining('was not sent')]);
  const away = await ask({ SONDE_TRACES_URL: 'http://127.0.0.1:1/v1/traces' });
  expect([away.status, away.stderr]).toEqual([plain.status, expect.stringContaining('was not sent')]);
});
