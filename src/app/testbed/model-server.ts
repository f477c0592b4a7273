/** A model behind an OpenAI-compatible server on loopback: it follows a plan, and counts what it is asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Served {
  /** The key under which the caller would want a call to be counted once. */
  readonly key: string;
  readonly authorization: string;
  readonly prompt: string;
  /** The request as it was sent. */
  readonly body: RequestBody;
}

export interface RequestBody {
  readonly messages?: readonly { readonly content: unknown }[];
  readonly stream?: boolean;
  readonly response_format?: { readonly json_schema?: { readonly name?: string } };
}

export interface ModelServer {
  /** As OPENAI_BASE_URL. */
  readonly address: string;
  /** Every request that was answered in full. */
  readonly served: readonly Served[];
  /** How many came in, answered or not. */
  readonly asked: () => number;
  close(): Promise<void>;
}

/** What the model says to a prompt; a number is an HTTP status to fail with. */
export type Reply = (prompt: string, served: Served) => string | number | Promise<string | number>;

/** Ids that the instructions themselves use to show what an id looks like. */
const examples: ReadonlySet<string> = new Set(['ev-0123456789', 'ev-abcdef0123']);

const evidenceIds = (prompt: string): readonly string[] =>
  (prompt.match(/\bev-[0-9a-f]{10}\b/g) ?? []).filter((id) => !examples.has(id));

/** Searches, reads, searches again, then answers from what it was shown; the same for the same prompt. */
export function plainPlan(prompt: string): string {
  const say = (reasoning: string, action: object): string => JSON.stringify({ reasoning, action });
  const found = evidenceIds(prompt);
  // Of what was done before, a prompt shows each action by its name and input.
  const did = (text: string): boolean => prompt.includes(text);
  if (found.length === 0)
    return say('look first', { name: 'hybrid_search', query: 'deliver retry attempts', k: 5 });
  if (!did('"start_line":1,"end_line":13'))
    return say('read it', { name: 'open_span', file_path: 'src/delivery.ts', start_line: 1, end_line: 13 });
  if (!did('backoff dead letter'))
    return say('another angle', { name: 'hybrid_search', query: 'backoff dead letter box', k: 5 });
  return say('enough', {
    name: 'finalize',
    answer: `Delivery is retried with a growing pause and then given up [${found[0]}].`,
    confidence: 0.9,
  });
}

async function bodyOf(request: IncomingMessage): Promise<RequestBody> {
  let text = '';
  for await (const part of request) text += String(part);
  return JSON.parse(text);
}

const flat = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? '').join('\n')
      : '';

function send(response: ServerResponse, text: string, stream: boolean): void {
  const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 };
  const head = { id: 'chatcmpl-1', created: 1, model: 'planned' };
  const message = { role: 'assistant', content: text };
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop', message }],
        usage,
      }),
    );
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const parts = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ];
  response.end(`${parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`);
}

export async function modelServer(reply: Reply = plainPlan): Promise<ModelServer> {
  const served: Served[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') {
        response.setHeader('content-type', 'application/json');
        return response.end(JSON.stringify({ object: 'list', data: [{ id: 'planned' }] }));
      }
      const body = await bodyOf(request);
      const prompt = (body.messages ?? []).map((message) => flat(message.content)).join('\n');
      const call: Served = {
        key: String(request.headers['idempotency-key'] ?? ''),
        authorization: request.headers.authorization ?? '',
        prompt,
        body,
      };
      asked += 1;
      const text = await reply(prompt, call);
      if (typeof text === 'number') {
        response.statusCode = text;
        return response.end(
          JSON.stringify({ error: { message: `refused ${call.authorization}`, type: 'test' } }),
        );
      }
      served.push(call);
      return send(response, text, body.stream === true);
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    served,
    asked: () => asked,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
