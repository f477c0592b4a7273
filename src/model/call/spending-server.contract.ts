/**
 * A server on loopback that counts what is asked of it and what it writes, and bills it, honestly or not, on the wires
 * of Anthropic (Messages) and OpenAI (Responses and Chat Completions). For tests of the budget.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How it treats its callers. */
export type Manner =
  | 'honest'
  /** Writes on beyond the limit for ever. */
  | 'ignores the limit'
  /** The same, as one event that never ends. */
  | 'one endless event'
  /** The same, behind a reply within the limit. */
  | 'one endless event behind the reply'
  /** Writes on as comments, or as events that no library knows. */
  | 'endless comments'
  | 'endless unknown events'
  /** Usage comes a while behind the end, in a chunk of its own. */
  | 'reports late'
  | 'reports nothing'
  /** Ten times what it was. */
  | 'reports too much'
  /** Leaves the connection open behind the end. */
  | 'never ends'
  /** Closes in the middle. */
  | 'cuts'
  /** One JSON object, whatever was asked for. */
  | 'streams nothing';

export interface SpendingServer {
  readonly origin: string;
  /** By its own count: input of every request and output that left it. */
  readonly input: number;
  readonly output: number;
  readonly requests: number;
  /** Written to one connection at most. Bytes of text. */
  readonly written: number;
  close(): Promise<void>;
}

export interface SpendingOptions {
  readonly manner: Manner;
  readonly count: (text: string) => number;
  /** What each reply says at most; a limit that is lower cuts it. */
  readonly reply: readonly string[];
}

interface Request {
  readonly max: number;
  readonly input: number;
}

interface Wire {
  start(): string;
  piece(text: string): string;
  end(stopped: boolean, usage: Usage | null): string;
  /** A report behind the end. */
  late(usage: Usage): string;
  whole(text: string, stopped: boolean, usage: Usage): unknown;
}

interface Usage {
  readonly input: number;
  readonly output: number;
}

/** Around each message, and for the request itself. */
const perMessage = 4;

export async function spendingServer({ manner, count, reply }: SpendingOptions): Promise<SpendingServer> {
  const sum = { input: 0, output: 0, requests: 0, written: 0 };
  const server = createServer(async (request, response) => {
    let raw = '';
    for await (const part of request) raw += part;
    const body = JSON.parse(raw) as Readonly<Record<string, unknown>>;
    const path = request.url ?? '';
    const wire = path.endsWith('/messages') ? anthropic : path.endsWith('/responses') ? responses : chat;
    const parsed = { input: countInput(body, count), max: readLimit(body) };
    sum.requests += 1;
    sum.input += parsed.input;
    response.on('error', () => {});
    await answer(wire, parsed, response);
  });

  async function answer(wire: Wire, { input, max }: Request, response: ServerResponse): Promise<void> {
    const endless = isEndless(manner);
    const oneEvent = manner.startsWith('one endless event');
    const pieces = endless
      ? repeatForever(manner === 'ignores the limit' ? reply : [reply.join('').repeat(8)])
      : cutToLimit(reply, max, count);
    const stopped = !endless && pieces.length < reply.length;
    const write = (text: string) =>
      new Promise<void>((done) => {
        const onClose = () => done();
        response.once('close', onClose);
        // Waits for `setImmediate`: the callbacks of writes alone would starve all other input and output of this
        // process.
        response.write(text, () => {
          response.off('close', onClose);
          setImmediate(done);
        });
      });
    if (manner === 'streams nothing') {
      const output = count(pieces.join(''));
      sum.output += output;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.whole(pieces.join(''), stopped, { input, output })));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await write(wire.start());
    let [output, written] = [0, 0];
    if (manner === 'one endless event behind the reply')
      for (const piece of cutToLimit(Array(max).fill(reply).flat(), max, count))
        await write(wire.piece(piece));
    if (oneEvent) await write(wire.piece('x').replace(/x".*$/s, ''));
    for (const piece of pieces) {
      if (response.destroyed) break;
      if (manner === 'cuts' && output > 20) return void response.destroy();
      await write(oneEvent ? piece : (formatUnread[manner]?.(piece) ?? wire.piece(piece)));
      output += count(piece);
      sum.output += count(piece);
      written += Buffer.byteLength(piece);
      sum.written = Math.max(sum.written, written);
    }
    const usage = { input, output };
    const billed = manner === 'reports too much' ? { input: input * 10, output: output * 10 } : usage;
    const reported = manner === 'reports nothing' || manner === 'reports late' ? null : billed;
    await write(wire.end(stopped, reported));
    if (manner === 'reports late') await write(wire.late(usage));
    if (manner !== 'never ends') response.end();
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get input() {
      return sum.input;
    },
    get output() {
      return sum.output;
    },
    get requests() {
      return sum.requests;
    },
    get written() {
      return sum.written;
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

const isEndless = (manner: Manner): boolean => manner === 'ignores the limit' || manner.includes('endless');

/** Bytes of a reply that no library makes anything of. */
const formatUnread: Partial<Record<Manner, (text: string) => string>> = {
  'endless comments': (text) => `: ${text}\n\n`,
  'endless unknown events': (text) => event('of.tomorrow', { type: 'of.tomorrow', text }),
};

function* endlessly(reply: readonly string[]): Generator<string> {
  for (;;) yield* reply;
}

const repeatForever = (reply: readonly string[]) =>
  Object.assign(endlessly(reply), { length: Infinity, join: () => '' });

function cutToLimit(
  reply: readonly string[],
  max: number,
  count: (text: string) => number,
): readonly string[] {
  let left = max;
  const end = reply.findIndex((piece) => {
    left -= count(piece);
    return left < 0;
  });
  return end < 0 ? reply : reply.slice(0, end);
}

function readLimit(body: Readonly<Record<string, unknown>>): number {
  return Number(body['max_tokens'] ?? body['max_output_tokens'] ?? body['max_completion_tokens']);
}

/** Everything that a model would read: texts, tools and schemas. */
function countInput(body: Readonly<Record<string, unknown>>, count: (text: string) => number): number {
  const messages = ['system', 'messages', 'input', 'instructions'].map((name) => body[name]);
  const schemas = ['tools', 'response_format', 'output_format', 'output_config', 'text'].map(
    (name) => body[name],
  );
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value))
        if (key === 'text' || key === 'content' || typeof inner === 'object') collect(inner);
  };
  for (const part of messages) collect(part);
  const sum = texts.reduce((total, text) => total + perMessage + count(text), perMessage);
  return schemas.reduce<number>(
    (total, schema) => (schema === undefined ? total : total + count(JSON.stringify(schema))),
    sum,
  );
}

const event = (name: string | null, data: unknown): string =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

const anthropic: Wire = {
  start: () =>
    event('message_start', {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 0, output_tokens: 0 } },
    }) +
    event('content_block_start', {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    }),
  piece: (text) =>
    event('content_block_delta', {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    }),
  end: (stopped, usage) =>
    event('content_block_stop', { type: 'content_block_stop', index: 0 }) +
    event('message_delta', {
      type: 'message_delta',
      delta: { stop_reason: stopped ? 'max_tokens' : 'end_turn', stop_sequence: null },
      usage: { input_tokens: usage?.input ?? 0, output_tokens: usage?.output ?? 0 },
    }) +
    event('message_stop', { type: 'message_stop' }),
  late: (usage) =>
    event('message_delta', {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    }) + event('message_stop', { type: 'message_stop' }),
  whole: (text, stopped, usage) => ({
    ...message,
    content: [{ type: 'text', text }],
    stop_reason: stopped ? 'max_tokens' : 'end_turn',
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
};
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };

const chunk = { id: 'c', created: 1, model: 'm', object: 'chat.completion.chunk' };
const chatUsage = ({ input, output }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
const chat: Wire = {
  start: () => '',
  piece: (content) =>
    event(null, {
      ...chunk,
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
    }),
  end: (stopped, usage) =>
    event(null, {
      ...chunk,
      choices: [{ index: 0, delta: {}, finish_reason: stopped ? 'length' : 'stop' }],
    }) +
    (usage === null ? '' : event(null, { ...chunk, choices: [], usage: chatUsage(usage) })) +
    'data: [DONE]\n\n',
  late: (usage) => event(null, { ...chunk, choices: [], usage: chatUsage(usage) }),
  whole: (content, stopped, usage) => ({
    ...chunk,
    object: 'chat.completion',
    choices: [
      { index: 0, finish_reason: stopped ? 'length' : 'stop', message: { role: 'assistant', content } },
    ],
    usage: chatUsage(usage),
  }),
};

const response = { id: 'r', object: 'response', created_at: 1, model: 'm', error: null };
const responsesUsage = ({ input, output }: Usage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
});
const item = { id: 'i', type: 'message', role: 'assistant' };
const responses: Wire = {
  start: () =>
    event('response.created', {
      type: 'response.created',
      sequence_number: 0,
      response: { ...response, status: 'in_progress', output: [], usage: null },
    }) +
    event('response.output_item.added', {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    }),
  piece: (delta) =>
    event('response.output_text.delta', {
      type: 'response.output_text.delta',
      sequence_number: 2,
      item_id: 'i',
      output_index: 0,
      content_index: 0,
      delta,
      logprobs: [],
    }),
  end: (stopped, usage) => {
    const type = stopped ? 'response.incomplete' : 'response.completed';
    const incomplete_details = stopped ? { reason: 'max_output_tokens' } : null;
    return event(type, {
      type,
      sequence_number: 9,
      response: {
        ...response,
        status: stopped ? 'incomplete' : 'completed',
        incomplete_details,
        output: [],
        ...(usage !== null && { usage: responsesUsage(usage) }),
      },
    });
  },
  late: (usage) => responses.end(false, usage),
  whole: (text, stopped, usage) => ({
    ...response,
    status: stopped ? 'incomplete' : 'completed',
    incomplete_details: stopped ? { reason: 'max_output_tokens' } : null,
    output: [
      {
        ...item,
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
      },
    ],
    usage: responsesUsage(usage),
  }),
};
