/** A model behind an OpenAI-compatible server on loopback: it follows a plan, and counts what it is asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedCall {
  /** The key under which the caller would want a call to be counted once. */
  readonly key: string;
  readonly authorization: string;
  readonly prompt: string;
  /** The request as it was sent. */
  readonly body: RequestBody;
}

interface ToolCall {
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

interface Message {
  readonly role?: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export interface RequestBody {
  readonly messages?: readonly Message[];
  readonly stream?: boolean;
  /** Present in a dialogue. */
  readonly tools?: readonly unknown[];
  readonly response_format?: { readonly json_schema?: { readonly name?: string } };
}

export interface ModelServer {
  /** As OPENAI_BASE_URL. */
  readonly address: string;
  /** Every request that was answered in full. */
  readonly served: readonly ServedCall[];
  /** How many came in, answered or not. */
  readonly countRequests: () => number;
  close(): Promise<void>;
}

/** What the model says to a prompt; a number is an HTTP status to fail with. */
export type Reply = (prompt: string, served: ServedCall) => string | number | Promise<string | number>;

/** Ids that the instructions themselves use to show what an id looks like. */
const examples: ReadonlySet<string> = new Set(['ev-0123456789', 'ev-abcdef0123']);

const evidenceIds = (prompt: string): readonly string[] =>
  (prompt.match(/\bev-[0-9a-f]{10}\b/g) ?? []).filter((id) => !examples.has(id));

type Action = Readonly<Record<string, unknown>> & { readonly name: string };

const formatJsonCall = (reasoning: string, action: Action): string => JSON.stringify({ reasoning, action });

/** As a model without native tools is asked. */
function formatTagCall(reasoning: string, { name, ...input }: Action): string {
  const args = Object.entries(input).map(([field, value]) => `<arg name="${field}">${value}</arg>`);
  return [reasoning, `<call name="${name}">`, ...args, '</call>'].join('\n');
}

/** Whether a reader of claims is asked. */
export const isReaderPrompt = (prompt: string): boolean => prompt.includes('You read for a checker');

/** A reader who finds that the lines carry every claim. */
export function supportAllClaims(prompt: string): string {
  const ids = new Set([...prompt.matchAll(/\b(c\d+) \([A-Z]/g)].map(([, id]) => id));
  return JSON.stringify({
    verdicts: [...ids].map((id) => ({ id, verdict: 'supported', why: 'they say so' })),
  });
}

/** Searches, reads, searches again, then answers from what it was shown; the same for the same prompt. */
export function searchPlan(prompt: string): string {
  if (isReaderPrompt(prompt)) return supportAllClaims(prompt);
  const formatAction = prompt.includes('To call a tool, write') ? formatTagCall : formatJsonCall;
  const found = evidenceIds(prompt);
  // A prompt shows each earlier action by its name and input.
  const hasDone = (text: string): boolean => prompt.includes(text);
  if (!hasDone('deliver retry attempts'))
    return formatAction('look first', { name: 'hybrid_search', query: 'deliver retry attempts', k: 5 });
  if (!/start_line\W{1,8}1\W[\s\S]{0,40}?end_line\W{1,8}13/.test(prompt))
    return formatAction('read it', {
      name: 'open_span',
      file_path: 'src/delivery.ts',
      start_line: 1,
      end_line: 13,
    });
  if (!hasDone('backoff dead letter'))
    return formatAction('another angle', { name: 'hybrid_search', query: 'backoff dead letter box', k: 5 });
  return formatAction('enough', {
    name: 'finalize',
    answer: `Delivery is retried with a growing pause and then given up [${found[0]}].`,
    confidence: 0.9,
  });
}

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  let text = '';
  for await (const part of request) text += String(part);
  return JSON.parse(text);
}

const flattenContent = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? '').join('\n')
      : '';

/** What was said, and each call with its arguments. */
function formatMessage({ content, tool_calls = [] }: Message): string {
  return [flattenContent(content), ...tool_calls.map((call) => call.function.arguments)].join('\n');
}

/** A conversation, with who says what: other dialogues have one side that speaks in words. */
function formatDialogue(messages: readonly Message[]): string {
  const calls = new Map(
    messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => [call.id, call.function.name] as const),
    ),
  );
  const showMessage = ({ role, content, tool_calls = [], tool_call_id }: Message): string => {
    const text = flattenContent(content);
    if (role === 'user') return `\n## The person\n${text}`;
    if (role === 'tool') {
      const name = calls.get(tool_call_id);
      return `\n## ${name === 'ask_user' ? 'The person' : name} (${tool_call_id})\n${text}`;
    }
    if (role !== 'assistant') return text;
    const callLines = tool_calls.map(
      (call) => `- ${call.function.name} ${call.function.arguments} (${call.id})`,
    );
    return ['\n## You', ...(text === '' ? [] : [text]), ...callLines].join('\n');
  };
  return messages.map(showMessage).join('\n');
}

function toPrompt({ messages = [], tools = [] }: RequestBody): string {
  const toolsText = JSON.stringify(tools);
  return toolsText.includes('"ask_user"') ? formatDialogue(messages) : messages.map(formatMessage).join('\n');
}

/** A choice of actions as calls of tools, where there are tools. */
function toReplyMessage(text: string, { tools }: RequestBody, id: string) {
  const plain = { role: 'assistant', content: text };
  if (tools === undefined || tools.length === 0) return plain;
  const { reasoning = '', action, text: replyText = '', calls } = parseFields(text);
  if (Array.isArray(calls)) return toToolCalls(replyText, calls as readonly FunctionCall[], id);
  if (typeof action !== 'object' || action === null) return plain;
  const { name, ...input } = action as Readonly<Record<string, unknown>>;
  const functionCall = { name, arguments: JSON.stringify(input) };
  return {
    role: 'assistant',
    content: reasoning,
    tool_calls: [{ index: 0, id, type: 'function', function: functionCall }],
  };
}

interface FunctionCall {
  readonly name: string;
  /** JSON. */
  readonly args?: string;
  readonly input?: object;
}

function toToolCalls(content: unknown, calls: readonly FunctionCall[], id: string) {
  const tool_calls = calls.map(({ name, input, args = JSON.stringify(input) }, index) => ({
    index,
    id: `${id}_${index}`,
    type: 'function',
    function: { name, arguments: args },
  }));
  return { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) };
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

function send(response: ServerResponse, text: string, body: RequestBody, id: string): void {
  const stream = body.stream === true;
  const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 };
  const head = { id: 'chatcmpl-1', created: 1, model: 'planned' };
  const message = toReplyMessage(text, body, id);
  const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason, message }],
        usage,
      }),
    );
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const parts = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
  response.end(`${parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`);
}

export async function modelServer(reply: Reply = searchPlan): Promise<ModelServer> {
  const served: ServedCall[] = [];
  let requestCount = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') {
        response.setHeader('content-type', 'application/json');
        return response.end(JSON.stringify({ object: 'list', data: [{ id: 'planned' }] }));
      }
      const body = await readBody(request);
      const prompt = toPrompt(body);
      const call: ServedCall = {
        key: String(request.headers['idempotency-key'] ?? ''),
        authorization: request.headers.authorization ?? '',
        prompt,
        body,
      };
      requestCount += 1;
      const text = await reply(prompt, call);
      if (typeof text === 'number') {
        response.statusCode = text;
        return response.end(
          JSON.stringify({ error: { message: `refused ${call.authorization}`, type: 'test' } }),
        );
      }
      served.push(call);
      return send(response, text, body, `call_${requestCount}`);
    })();
  });
  // On a busy machine a connection is idle for long: one that is closed as it is used again is a failed request.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    served,
    countRequests: () => requestCount,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
