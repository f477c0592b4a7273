/** Conversations over HTTP: requests with messages, and a stream of events. */
import { z } from 'zod';
import { isSondeError, messageOf } from '../../core/index.ts';
import type { Sessions } from '../../store/index.ts';
import type { Connection } from '../../tools/index.ts';
import { type AgentEvent, threadId, threadNote } from '../agent/channel/channel.ts';
import type { AgentRequests } from '../agent/requests/request-queue.ts';
import { type SentMessage, threadActions } from '../agent/thread-actions.ts';
import { safeJson } from '../safe-json.ts';
import { readBytes } from '../server/read-bytes.ts';
import { canTalk, type Token } from '../tokens/tokens.ts';

export interface RoutesOptions {
  readonly requests: AgentRequests;
  readonly sessions: Sessions;
  /** The token of a client; null for the agent itself, which may only use tools. */
  readonly tokenOf: (connection: Connection) => Token | null;
}

const maxBodyBytes = 1_000_000;
const maxThreads = 200;
/** How long a stream may go on after its token was revoked. Milliseconds. */
const lookMs = 1_000;

const sentMessage = z.strictObject({
  text: z.string().trim().min(1).max(200_000),
  /** A message sent again with the same id is not processed twice. */
  message_id: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .optional(),
});
const sentAnswer = z.strictObject({ question: z.string().min(1).max(200), value: z.json() });

/** Requests that need a thread with a message. A thread may be observed before its first message. */
const startedThreadRoutes: ReadonlySet<string> = new Set([
  'POST answers',
  'POST continue',
  'POST cancel',
  'POST drop',
]);

/** The envelope of every answer without content. */
function envelopeResponse(
  status: number,
  envelope: { readonly error_code: string | null; readonly message: string; readonly details?: object },
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { error_code, message, details = {} } = envelope;
  const body = { status: error_code === null ? 'ok' : 'error', error_code, message, details };
  return new Response(`${safeJson(body)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

async function readBody<Value>(request: Request, schema: z.ZodType<Value>): Promise<Value | Response> {
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === null)
    return envelopeResponse(413, { error_code: 'bad_argument', message: `At most ${maxBodyBytes} bytes` });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return envelopeResponse(400, { error_code: 'bad_argument', message: 'The body is not JSON' });
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  return envelopeResponse(400, {
    error_code: 'bad_argument',
    message: 'The body does not fit',
    details: { issues },
  });
}

export function conversationRoutes({ requests: requestQueue, sessions, tokenOf }: RoutesOptions) {
  const actions = threadActions(requestQueue, sessions);
  const isKnownThread = async (thread: string): Promise<boolean> =>
    (await sessions.threads.has(thread)) || (await requestQueue.knows(thread));

  const replyAccepted = ({ message_id }: SentMessage): Response =>
    envelopeResponse(202, { error_code: null, message: 'taken', details: { message_id } });

  async function post(thread: string, request: Request, token: Token): Promise<Response> {
    const body = await readBody(request, sentMessage);
    if (body instanceof Response) return body;
    const { message_id, state, outcome } = await actions.send(thread, body, token.name);
    return envelopeResponse(202, { error_code: null, message: state, details: { message_id, outcome } });
  }

  async function answer(thread: string, request: Request): Promise<Response> {
    const body = await readBody(request, sentAnswer);
    if (body instanceof Response) return body;
    return replyAccepted(await actions.answer(thread, body.question, body.value));
  }

  async function cancelTurn(thread: string): Promise<Response> {
    const { message, details } = await requestQueue.cancel(thread);
    return envelopeResponse(200, { error_code: null, message, details });
  }

  /** The turn that is not finished, running or not. */
  async function dropTurn(thread: string): Promise<Response> {
    const { status, error_code, message, details } = await requestQueue.drop(thread);
    return envelopeResponse(status === 'ok' ? 200 : 409, { error_code, message, details });
  }

  function events(thread: string, signal: AbortSignal, mayListen: () => boolean): Response {
    const encoder = new TextEncoder();
    let stopListening = (): void => {};
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        const write = (text: string): void => controller.enqueue(encoder.encode(text));
        stopListening = requestQueue.onEvent((eventThread, event: AgentEvent) => {
          if (eventThread !== thread) return;
          // A client that reads too slowly is cut off, and can look up the state by `observe`.
          if ((controller.desiredSize ?? 0) < -1000) return end();
          write(`event: ${event.kind}\ndata: ${safeJson({ thread_id: thread, event })}\n\n`);
        });
        const heartbeat = setInterval(() => write(': there\n\n'), 15_000);
        const accessCheck = setInterval(() => {
          if (!mayListen()) end();
        }, lookMs);
        const unsubscribe = stopListening;
        stopListening = () => {
          clearInterval(heartbeat);
          clearInterval(accessCheck);
          unsubscribe();
        };
        const end = (): void => {
          stopListening();
          try {
            controller.close();
          } catch {
            // Closed by the reader.
          }
        };
        signal.addEventListener('abort', end, { once: true });
        write(': there\n\n');
      },
      cancel: () => stopListening(),
    });
    return new Response(stream, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    });
  }

  async function route(request: Request, token: Token, mayListen: () => boolean): Promise<Response | null> {
    const { pathname } = new URL(request.url);
    if (pathname === '/threads' && request.method === 'GET')
      return Response.json(await sessions.threads.list({ limit: maxThreads }));
    const [, encoded, subroute] = /^\/threads\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? [];
    if (encoded === undefined) return null;
    const thread = threadId.safeParse(decode(encoded));
    if (!thread.success)
      return envelopeResponse(400, { error_code: 'bad_argument', message: 'That is not a valid thread id' });
    const routeName = `${request.method} ${subroute ?? ''}`;
    if (startedThreadRoutes.has(routeName) && !(await isKnownThread(thread.data)))
      return envelopeResponse(404, {
        error_code: 'not_found',
        message: `There is no thread ${thread.data}: POST messages begins one`,
      });
    switch (routeName) {
      case 'GET ':
        return Response.json(threadNote.parse((await requestQueue.observe(thread.data)).details));
      case 'POST messages':
        return post(thread.data, request, token);
      case 'POST answers':
        return answer(thread.data, request);
      case 'POST continue':
        return replyAccepted(await actions.continueTurn(thread.data));
      case 'POST cancel':
        return cancelTurn(thread.data);
      case 'POST drop':
        return dropTurn(thread.data);
      case 'GET events':
        return events(thread.data, request.signal, mayListen);
      default:
        return envelopeResponse(404, {
          error_code: 'not_found',
          message:
            'There is GET /threads, and of a thread: GET, POST messages, answers, continue, cancel, drop, GET events',
        });
    }
  }

  return async (
    request: Request,
    connection: Connection,
    mayListen: () => boolean,
  ): Promise<Response | null> => {
    const token = tokenOf(connection);
    if (token === null || !canTalk(token))
      return envelopeResponse(403, {
        error_code: 'capability',
        message:
          'This token may use tools, but not conversations: make one with sonde token add NAME --author for the person, or --allow agent for a program',
      });
    try {
      return await route(request, token, mayListen);
    } catch (thrown) {
      const code = isSondeError(thrown) ? thrown.code : 'internal';
      if (isSondeError(thrown, 'run_state')) {
        const { message, details } = thrown;
        return envelopeResponse(409, { error_code: code, message, details });
      }
      const isAway = code === 'tool_failed' || code === 'store_away';
      // An agent starts within seconds, and a store is rarely away for long.
      const retryHeaders = isAway ? { 'retry-after': '5' } : {};
      return envelopeResponse(
        isAway ? 503 : 500,
        { error_code: code, message: messageOf(thrown) },
        retryHeaders,
      );
    }
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
