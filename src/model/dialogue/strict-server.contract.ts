/**
 * A server on loopback that plays turns of a dialogue on the wires of Anthropic (Messages) and OpenAI (Responses and Chat
 * Completions), and refuses what the real ones refuse: unpaired calls and results, reasoning that isn't its own or is
 * missing, too many marks, a forced tool beside thinking, arguments that are no object.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Body, PlayedTurn } from './played-turn.contract.ts';
import { findRefusal } from './strict-checks.contract.ts';
import { anthropicTurn, chatTurn, responsesTurn } from './strict-replies.contract.ts';

export interface StrictServer {
  readonly origin: string;
  /** `key`: the idempotency key of the request. */
  readonly requests: readonly {
    readonly path: string;
    readonly raw: string;
    readonly body: Body;
    readonly key: string;
  }[];
  /** Sets the next turns, one per request. Its ids and signatures are the same each time a turn is played. */
  play(...turns: readonly PlayedTurn[]): void;
  /** Like `play`, with the first `from` turns already used. */
  playFrom(from: number, turns: readonly PlayedTurn[]): void;
  /** Makes the turn from the request, instead of the played turns. The ids depend on the turn. */
  replyTo: ((body: Body, raw: string) => PlayedTurn) | null;
  /** Whether answers are sent whole, even if a stream was requested. */
  answersWhole: boolean;
  /** Whether a repeated request gets its first answer again, and plays no turn. */
  repeatsAnswers: boolean;
  close(): Promise<void>;
}

const hashTurn = (turn: PlayedTurn): number =>
  createHash('sha256').update(JSON.stringify(turn)).digest().readUInt32LE();

/** `key`: signs reasoning. */
export async function strictServer(key = 'k'): Promise<StrictServer> {
  const requests: { path: string; raw: string; body: Body; key: string }[] = [];
  let queue: readonly PlayedTurn[] = [];
  let answered = 0;
  const answers = new Map<
    string,
    { readonly status: number; readonly type: string; readonly text: string }
  >();
  const server = createServer(async (request, response) => {
    let raw = '';
    for await (const part of request) raw += part;
    const path = request.url ?? '';
    const body: Body = JSON.parse(raw);
    const idempotency = String(request.headers['idempotency-key'] ?? '');
    requests.push({ path, raw, body, key: idempotency });
    const earlier = handle.repeatsAnswers ? answers.get(raw) : undefined;
    const answer = (status: number, type: string, text: string): void => {
      answers.set(raw, { status, type, text });
      response.writeHead(status, { 'content-type': type });
      response.end(text);
    };
    if (earlier !== undefined) return answer(earlier.status, earlier.type, earlier.text);
    const [next = { text: 'ok' }, ...rest] = queue;
    const turn = handle.replyTo?.(body, raw) ?? next;
    const refused = findRefusal(path, body, key) ?? turn.error?.message ?? null;
    if (refused !== null) {
      if (turn.error !== undefined) queue = rest;
      const error = { type: 'invalid_request_error', message: refused };
      return answer(turn.error?.status ?? 400, 'application/json', JSON.stringify({ type: 'error', error }));
    }
    queue = rest;
    answered += 1;
    const write = path.endsWith('/messages')
      ? anthropicTurn
      : path.endsWith('/responses')
        ? responsesTurn
        : chatTurn;
    const streamed = body.stream === true && !handle.answersWhole;
    const text = write(turn, {
      id: handle.replyTo === null ? answered : hashTurn(turn),
      key,
      streamed,
      input: Math.ceil(raw.length / 4),
    });
    answer(200, streamed ? 'text/event-stream' : 'application/json', text);
  });
  // A request fails if the server closes its idle connection at the same moment, which happens on a busy machine.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const handle: StrictServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    replyTo: null,
    answersWhole: false,
    repeatsAnswers: false,
    play: (...turns) => {
      queue = turns;
      answered = 0;
    },
    playFrom(from, turns) {
      queue = turns.slice(from);
      answered = turns.slice(0, from).filter(({ error }) => error === undefined).length;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return handle;
}
