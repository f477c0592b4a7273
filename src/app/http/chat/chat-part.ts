/**
 * The interface for chat pages and editors: a model is a name of the configuration, a request is a turn of a
 * conversation, and closing the request ends the turn. No text is sent before it was checked: a stream gets progress as
 * comments, and then the answer.
 */
import { randomUUID } from 'node:crypto';
import { SondeError } from '../../../core/index.ts';
import { safeJson } from '../../safe-json.ts';
import { readBearer, type ServerPart } from '../../server/server-part.ts';
import { canTalk, type Token } from '../../tokens/tokens.ts';
import { readBody } from '../body.ts';
import { readChat } from './chat-body.ts';
import { ChatError, errorResponse, toChatError } from './chat-error.ts';
import { type ChatHead, keepAlive, streamAnswer, streamError, streamStart, toReply } from './chat-reply.ts';
import { type ChatPorts, createResponders, type TalkResult } from './chat-talkers.ts';

export interface ChatOptions {
  readonly ports: ChatPorts;
  readonly findToken: (shown: string) => Token | 'wrong_place' | null;
  readonly tell: (line: string) => void;
  /** Interval between comments that keep the connection of a waiting client open. Milliseconds. */
  readonly aliveMs?: number;
}

const encoder = new TextEncoder();
const threadPattern = /^[\p{L}\p{N}_.:-]{1,100}$/u;

export function chatPart({ ports, findToken, tell, aliveMs = 10_000 }: ChatOptions): ServerPart {
  const responders = createResponders(ports);
  const created = Math.floor(ports.clock.now() / 1_000);
  const toModel = (id: string) => ({ id, object: 'model', created, owned_by: 'sonde' });

  function requireToken(headers: Headers): Token {
    const bearer = readBearer(headers);
    const token = bearer === null ? null : findToken(bearer);
    if (token === null)
      throw new ChatError(
        401,
        `Send a token as the API key: sonde token add NAME --workspace ${ports.workspace.name} --role author makes one`,
        {
          code: 'invalid_api_key',
        },
      );
    if (token === 'wrong_place' || !canTalk(token))
      throw new ChatError(403, 'This token is for something else, and not for talking with the agent', {
        code: 'forbidden',
      });
    return token;
  }

  function readThread(headers: Headers): string | null {
    const header = headers.get('x-sonde-thread');
    if (header === null || threadPattern.test(header)) return header;
    throw new ChatError(400, 'X-Sonde-Thread is not a valid thread id', { param: 'X-Sonde-Thread' });
  }

  async function complete(request: Request, onStarted: () => void): Promise<Response> {
    const token = requireToken(request.headers);
    const ask = readChat(parseJson(await readBody(request)));
    const responder = responders.get(ask.model);
    if (responder === undefined)
      throw new ChatError(
        404,
        `There is no model ${JSON.stringify(ask.model.slice(0, 100))}; there is ${[...responders.keys()].join(', ')}`,
        {
          param: 'model',
          code: 'model_not_found',
        },
      );
    const thread = readThread(request.headers);
    const turnAbort = new AbortController();
    request.signal.addEventListener('abort', () => turnAbort.abort(), { once: true });
    if (request.signal.aborted) turnAbort.abort();
    let sendNote = (_: string): void => {};
    const talkResult = await responder({
      ask,
      thread,
      sender: token.name,
      signal: turnAbort.signal,
      origin: new URL(request.url).origin,
      onNote: (line) => sendNote(line),
    });
    talkResult.answer.catch(() => {});
    onStarted();
    const head: ChatHead = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(ports.clock.now() / 1_000),
      model: ask.model,
    };
    const headers = {
      'cache-control': 'no-store',
      ...(talkResult.thread !== null && { 'x-sonde-thread': talkResult.thread }),
    };
    if (!ask.stream) {
      const answer = await talkResult.answer;
      return new Response(safeJson(toReply(head, answer)), {
        headers: { ...headers, 'content-type': 'application/json' },
      });
    }
    const stream = createStream(talkResult, head, {
      usage: ask.usage,
      onNote: (listener) => {
        sendNote = listener;
      },
      stop: () => turnAbort.abort(),
    });
    return new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream' } });
  }

  function createStream(
    { answer }: TalkResult,
    head: ChatHead,
    {
      usage,
      onNote,
      stop,
    }: { usage: boolean; onNote: (listener: (line: string) => void) => void; stop: () => void },
  ): ReadableStream<Uint8Array> {
    let keepAliveTimer: ReturnType<typeof setInterval> | undefined;
    let isOpen = true;
    return new ReadableStream({
      start(controller) {
        const write = (text: string): void => {
          if (isOpen) controller.enqueue(encoder.encode(text));
        };
        write(streamStart(head));
        onNote((line) => write(keepAlive(line)));
        keepAliveTimer = setInterval(() => write(keepAlive('there')), aliveMs);
        keepAliveTimer.unref();
        void answer
          .then((chatAnswer) => write(streamAnswer(head, chatAnswer, usage)))
          .catch((thrown: unknown) => write(streamError(toChatError(thrown, tell, { hasStarted: true }))))
          .finally(() => {
            clearInterval(keepAliveTimer);
            isOpen = false;
            try {
              controller.close();
            } catch {
              // The client has gone.
            }
          });
      },
      cancel() {
        isOpen = false;
        clearInterval(keepAliveTimer);
        stop();
      },
    });
  }

  const respondOrError = async (
    work: (onStarted: () => void) => Response | Promise<Response>,
  ): Promise<Response> => {
    let hasStarted = false;
    try {
      return await work(() => {
        hasStarted = true;
      });
    } catch (thrown) {
      return errorResponse(toChatError(thrown, tell, { hasStarted }));
    }
  };

  return {
    name: 'chat',
    mount(app) {
      app.get('/v1/models', ({ req }) =>
        respondOrError(() => {
          requireToken(req.raw.headers);
          return Response.json({ object: 'list', data: [...responders.keys()].map(toModel) });
        }),
      );
      app.get('/v1/models/:model', ({ req }) =>
        respondOrError(() => {
          requireToken(req.raw.headers);
          const id = req.param('model');
          if (responders.has(id)) return Response.json(toModel(id));
          throw new ChatError(404, `There is no model ${JSON.stringify(id.slice(0, 100))}`, {
            param: 'model',
            code: 'model_not_found',
          });
        }),
      );
      app.post('/v1/chat/completions', ({ req }) =>
        respondOrError((onStarted) => complete(req.raw, onStarted)),
      );
      app.all('/v1/*', ({ req }) =>
        respondOrError(() => {
          throw new ChatError(
            404,
            `There is no ${req.method} ${req.path}: there is GET /v1/models and POST /v1/chat/completions`,
            {
              code: 'unknown_url',
            },
          );
        }),
      );
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SondeError('bad_argument', { message: 'The body is no JSON', remedy: 'Send one JSON value.' });
  }
}
