/**
 * A server on loopback that speaks the wire formats of Anthropic (Messages) and OpenAI (Responses and Chat
 * Completions), streaming included, and misbehaves on demand. Part of the conformance suite.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Behaviour =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly stop?: 'end' | 'length' | 'refusal';
      readonly usage?: 'none';
    }
  | {
      readonly kind: 'raw';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** An error in the format's own shape. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The first half of a proper answer, and then the end (`cut`) or a reset of the connection. */
  | { readonly kind: 'cut' | 'reset'; readonly text: string }
  /** An error event after some text; whole answers get the status instead. */
  | { readonly kind: 'midstream'; readonly type: string; readonly message: string }
  | { readonly kind: 'hang' }
  /** Never stops sending. */
  | { readonly kind: 'flood' };

export interface Exchange {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of three formats
  readonly body: any;
}

export interface Loopback {
  readonly origin: string;
  readonly requests: readonly Exchange[];
  /** Sets the next answers, one per request. The last one repeats. */
  behave(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

export const reportedUsage = Object.freeze({ input: 120, output: 30, cacheRead: 80, cacheWrite: 10 });

export async function openLoopback(): Promise<Loopback> {
  const requests: Exchange[] = [];
  let queue: readonly Behaviour[] = [];
  const server = createServer(async (request, response) => {
    let raw = '';
    for await (const part of request) raw += part;
    const path = request.url ?? '';
    if (path.endsWith('/models')) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ data: [{ id: 'text-embedding-x' }, { id: 'served-model' }] }));
    }
    const body = JSON.parse(raw);
    requests.push({ path, headers: request.headers, body });
    const behaviour = queue[0];
    if (queue.length > 1) queue = queue.slice(1);
    if (behaviour) await perform(behaviour, path, body, response);
    else response.writeHead(500).end('no behaviour was set');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behave: (...behaviours) => {
      queue = behaviours;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

async function perform(
  behaviour: Behaviour,
  path: string,
  body: { readonly stream?: boolean },
  response: ServerResponse,
): Promise<void> {
  const format = path.endsWith('/messages') ? anthropic : path.endsWith('/responses') ? responses : chat;
  const type = body.stream ? 'text/event-stream' : 'application/json';
  const formatAnswer = (text: string, stop = 'end', usage = true) =>
    body.stream ? format.stream(text, stop, usage) : JSON.stringify(format.whole(text, stop, usage));
  switch (behaviour.kind) {
    case 'text':
      response.writeHead(200, { 'content-type': type });
      response.end(formatAnswer(behaviour.text, behaviour.stop, behaviour.usage !== 'none'));
      return;
    case 'raw':
      response.writeHead(behaviour.status ?? 200, { 'content-type': type, ...behaviour.headers });
      response.end(behaviour.body);
      return;
    case 'error':
      response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
      response.end(JSON.stringify(format.error(behaviour.type, behaviour.message)));
      return;
    case 'cut':
    case 'reset': {
      const whole = formatAnswer(behaviour.text);
      response.writeHead(200, { 'content-type': type });
      await new Promise<void>((done) => response.write(whole.slice(0, whole.length / 2), () => done()));
      if (behaviour.kind === 'cut') response.end();
      else setTimeout(() => response.socket?.resetAndDestroy(), 20);
      return;
    }
    case 'midstream':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(format.midstream(behaviour.type, behaviour.message));
      return;
    case 'hang':
      return;
    case 'flood': {
      response.writeHead(200, { 'content-type': type });
      const block = `${' '.repeat(64 * 1024)}\n`;
      const writeMore = () => {
        while (!response.destroyed && response.write(block));
        if (!response.destroyed) response.once('drain', writeMore);
      };
      writeMore();
    }
  }
}

/** Two pieces, so that a stream is more than one event. */
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
const events = (list: readonly (readonly [name: string | null, data: unknown])[]) =>
  list.map(([name, data]) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`).join('');

const anthropic = {
  usage: {
    input_tokens: reportedUsage.input - reportedUsage.cacheRead - reportedUsage.cacheWrite,
    cache_read_input_tokens: reportedUsage.cacheRead,
    cache_creation_input_tokens: reportedUsage.cacheWrite,
    output_tokens: reportedUsage.output,
  },
  stops: { end: 'end_turn', length: 'max_tokens', refusal: 'refusal' } as Record<string, string>,
  whole(text: string, stop: string, usage: boolean) {
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'answering-model',
      content: [{ type: 'text', text }],
      stop_reason: this.stops[stop],
      stop_sequence: null,
      usage: usage ? this.usage : { input_tokens: 0, output_tokens: 0 },
    };
  },
  stream(text: string, stop: string, usage: boolean) {
    const whole = this.whole(text, stop, usage);
    return events([
      ['message_start', { type: 'message_start', message: { ...whole, content: [], stop_reason: null } }],
      [
        'content_block_start',
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ],
      ['ping', { type: 'ping' }],
      ...halves(text).map(
        (piece) =>
          [
            'content_block_delta',
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } },
          ] as const,
      ),
      ['content_block_stop', { type: 'content_block_stop', index: 0 }],
      [
        'message_delta',
        {
          type: 'message_delta',
          delta: { stop_reason: whole.stop_reason, stop_sequence: null },
          usage: { output_tokens: whole.usage.output_tokens },
        },
      ],
      ['message_stop', { type: 'message_stop' }],
    ]);
  },
  error: (type: string, message: string) => ({ type: 'error', error: { type, message } }),
  midstream(type: string, message: string) {
    const start = this.stream('half an answer', 'end', true).split('event: content_block_stop')[0];
    return `${start}${events([['error', this.error(type, message)]])}`;
  },
};

const chat = {
  usage: {
    prompt_tokens: reportedUsage.input,
    completion_tokens: reportedUsage.output,
    total_tokens: reportedUsage.input + reportedUsage.output,
    prompt_tokens_details: { cached_tokens: reportedUsage.cacheRead },
  },
  stops: { end: 'stop', length: 'length', refusal: 'content_filter' } as Record<string, string>,
  head: { id: 'chatcmpl-1', created: 1, model: 'answering-model' },
  whole(text: string, stop: string, usage: boolean) {
    return {
      ...this.head,
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: this.stops[stop], message: { role: 'assistant', content: text } }],
      ...(usage && { usage: this.usage }),
    };
  },
  stream(text: string, stop: string, usage: boolean) {
    const chunk = { ...this.head, object: 'chat.completion.chunk' };
    const list = events([
      ...halves(text).map(
        (content) =>
          [
            null,
            { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
          ] as const,
      ),
      [null, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: this.stops[stop] }] }],
      ...(usage ? [[null, { ...chunk, choices: [], usage: this.usage }] as const] : []),
    ]);
    return `${list}data: [DONE]\n\n`;
  },
  error: (type: string, message: string) => ({ error: { message, type, param: null, code: type } }),
  midstream(type: string, message: string) {
    const start = this.stream('half an answer', 'end', true).split('\n\n').slice(0, 2).join('\n\n');
    return `${start}\n\n${events([[null, this.error(type, message)]])}`;
  },
};

const responses = {
  usage: {
    input_tokens: reportedUsage.input,
    input_tokens_details: { cached_tokens: reportedUsage.cacheRead },
    output_tokens: reportedUsage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: reportedUsage.input + reportedUsage.output,
  },
  whole(text: string, stop: string, usage: boolean) {
    const content =
      stop === 'refusal'
        ? { type: 'refusal', refusal: text }
        : { type: 'output_text', text, annotations: [], logprobs: [] };
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: stop === 'length' ? 'incomplete' : 'completed',
      incomplete_details:
        stop === 'length'
          ? { reason: 'max_output_tokens' }
          : stop === 'refusal'
            ? { reason: 'content_filter' }
            : null,
      error: null,
      model: 'answering-model',
      output: [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [content] }],
      ...(usage && { usage: this.usage }),
    };
  },
  stream(text: string, stop: string, usage: boolean) {
    const whole = this.whole(text, stop, usage);
    const item = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    const ended = stop === 'end' ? 'response.completed' : 'response.incomplete';
    return events([
      [
        'response.created',
        {
          type: 'response.created',
          sequence_number: 0,
          response: { ...whole, status: 'in_progress', output: [], usage: null },
        },
      ],
      [
        'response.output_item.added',
        { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item },
      ],
      ...halves(text).map(
        (delta, n) =>
          [
            'response.output_text.delta',
            {
              type: 'response.output_text.delta',
              sequence_number: 2 + n,
              item_id: 'msg_1',
              output_index: 0,
              content_index: 0,
              delta,
              logprobs: [],
            },
          ] as const,
      ),
      [
        'response.output_item.done',
        { type: 'response.output_item.done', sequence_number: 4, output_index: 0, item: whole.output[0] },
      ],
      [ended, { type: ended, sequence_number: 5, response: whole }],
    ]);
  },
  error: chat.error,
  midstream(type: string, message: string) {
    const start = this.stream('half an answer', 'end', true).split('event: response.output_item.done')[0];
    return `${start}${events([['error', { type: 'error', sequence_number: 9, code: type, message, param: null }]])}`;
  },
};
