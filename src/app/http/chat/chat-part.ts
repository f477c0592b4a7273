/**
 * The interface for chat pages and editors: a model is a name of the configuration, a request is a turn of a
 * conversation, and closing the request ends the turn. No text is sent before it was checked: a stream gets progress as
 * comments, and then the answer.
 */
import { randomUUID } from 'node:crypto';
import { SondeError } from '../../../core/index.ts';
import { safeJson } from '../../safe-json.ts';
import { bearerIn, type ServerPart } from '../../server/server-part.ts';
import { mayTalk, type Token } from '../../tokens/tokens.ts';
import { readBody } from '../body.ts';
import { readChat } from './chat-body.ts';
import { ChatError, errorResponse, toChatError } from './chat-error.ts';
import {
  type ChatHead,
  keepAlive,
  streamAnswer,
  streamError,
  streamStart,
  wholeReply,
} from './chat-reply.ts';
import { type ChatPorts, type TalkResult, talkersOf } from './chat-talkers.ts';

export interface ChatOptions {
  readonly ports: ChatPorts;
  readonly findToken: (shown: string) => Token | 'wrong_place' | null;
  readonly tell: (line: string) => void;
  /** How often a waiting client is sent a sign of life. Milliseconds. */
  readonly aliveMs?: number;
}

const encoder = new TextEncoder();
const threadForm = /^[\p{L}\p{N}_.:-]{1,100}$/u;

export function chatPart({ ports, findToken, tell, aliveMs = 10_000 }: ChatOptions): ServerPart {
  const talkers = talkersOf(ports);
  const created = Math.floor(ports.clock.now() / 1_000);
  const model = (id: string) => ({ id, object: 'model', created, owned_by: 'sonde' });

  function enterAs(headers: Headers): Token {
    const bearer = bearerIn(headers);
    const token = bearer === null ? null : findToken(bearer);
    if (token === null)
      throw new ChatError(
        401,
        `Send a token as the API key: sonde token add NAME --workspace ${ports.workspace.name} --role author makes one`,
        {
          code: 'invalid_api_key',
        },
      );
    if (token === 'wrong_place' || !mayTalk(token))
      throw new ChatError(403, 'This token is for something else, and not for talking with the agent', {
        code: 'forbidden',
      });
    return token;
  }

  function threadIn(headers: Headers): string | null {
    const named = headers.get('x-sonde-thread');
    if (named === null || threadForm.test(named)) return named;
    throw new ChatError(400, 'X-Sonde-Thread is not a valid thread id', { param: 'X-Sonde-Thread' });
  }

  async function complete(request: Request, onBegun: () => void): Promise<Response> {
    const token = enterAs(request.headers);
    const ask = readChat(jsonOf(await readBody(request)));
    const talk = talkers.get(ask.model);
    if (talk === undefined)
      throw new ChatError(
        404,
        `There is no model ${JSON.stringify(ask.model.slice(0, 100))}; there is ${[...talkers.keys()].join(', ')}`,
        {
          param: 'model',
          code: 'model_not_found',
        },
      );
    const thread = threadIn(request.headers);
    const stop = new AbortController();
    request.signal.addEventListener('abort', () => stop.abort(), { once: true });
    if (request.signal.aborted) stop.abort();
    let note = (_: string): void => {};
    const talked = await talk({
      ask,
      thread,
      sender: token.name,
      signal: stop.signal,
      origin: new URL(request.url).origin,
      onNote: (line) => note(line),
    });
    talked.answer.catch(() => {});
    onBegun();
    const head: ChatHead = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(ports.clock.now() / 1_000),
      model: ask.model,
    };
    const headers = {
      'cache-control': 'no-store',
      ...(talked.thread !== null && { 'x-sonde-thread': talked.thread }),
    };
    if (!ask.stream) {
      const answer = await talked.answer;
      return new Response(safeJson(wholeReply(head, answer)), {
        headers: { ...headers, 'content-type': 'application/json' },
      });
    }
    const stream = streamOf(talked, head, {
      usage: ask.usage,
      onNote: (heard) => {
        note = heard;
      },
      stop: () => stop.abort(),
    });
    return new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream' } });
  }

  function streamOf(
    { answer }: TalkResult,
    head: ChatHead,
    {
      usage,
      onNote,
      stop,
    }: { usage: boolean; onNote: (heard: (line: string) => void) => void; stop: () => void },
  ): ReadableStream<Uint8Array> {
    let alive: ReturnType<typeof setInterval> | undefined;
    let open = true;
    return new ReadableStream({
      start(controller) {
        const write = (text: string): void => {
          if (open) controller.enqueue(encoder.encode(text));
        };
        write(streamStart(head));
        onNote((line) => write(keepAlive(line)));
        alive = setInterval(() => write(keepAlive('there')), aliveMs);
        alive.unref();
        void answer
          .then((chatAnswer) => write(streamAnswer(head, chatAnswer, usage)))
          .catch((thrown: unknown) => write(streamError(toChatError(thrown, tell, { begun: true }))))
          .finally(() => {
            clearInterval(alive);
            open = false;
            try {
              controller.close();
            } catch {
              // The client has gone.
            }
          });
      },
      cancel() {
        open = false;
        clearInterval(alive);
        stop();
      },
    });
  }

  const answerOrError = async (
    work: (onBegun: () => void) => Response | Promise<Response>,
  ): Promise<Response> => {
    let begun = false;
    try {
      return await work(() => {
        begun = true;
      });
    } catch (thrown) {
      return errorResponse(toChatError(thrown, tell, { begun }));
    }
  };

  return {
    name: 'chat',
    mount(app) {
      app.get('/v1/models', ({ req }) =>
        answerOrError(() => {
          enterAs(req.raw.headers);
          return Response.json({ object: 'list', data: [...talkers.keys()].map(model) });
        }),
      );
      app.get('/v1/models/:model', ({ req }) =>
        answerOrError(() => {
          enterAs(req.raw.headers);
          const id = req.param('model');
          if (talkers.has(id)) return Response.json(model(id));
          throw new ChatError(404, `There is no model ${JSON.stringify(id.slice(0, 100))}`, {
            param: 'model',
            code: 'model_not_found',
          });
        }),
      );
      app.post('/v1/chat/completions', ({ req }) => answerOrError((onBegun) => complete(req.raw, onBegun)));
      app.all('/v1/*', ({ req }) =>
        answerOrError(() => {
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SondeError('bad_argument', { message: 'The body is no JSON', remedy: 'Send one JSON value.' });
  }
}
