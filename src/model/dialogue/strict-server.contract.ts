/**
 * A server on loopback that plays turns of a dialogue on the wires of Anthropic (Messages) and OpenAI (Responses and Chat
 * Completions), and refuses what the real ones refuse: unpaired calls and results, reasoning that isn't its own or is
 * missing, too many marks, a forced tool beside thinking, arguments that are no object.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Body, PlayedTurn } from './played-turn.contract.ts';
import { refusalOf } from './strict-checks.contract.ts';
import { anthropicTurn, chatTurn, responsesTurn } from './strict-replies.contract.ts';

export interface StrictServer {
  readonly origin: string;
  /** `key`: under which whoever asks would want it to be counted once. */
  readonly requests: readonly {
    readonly path: string;
    readonly raw: string;
    readonly body: Body;
    readonly key: string;
  }[];
  /** The next turns, one a request; what it makes of them (ids, signatures) is the same each time they are played. */
  play(...turns: readonly PlayedTurn[]): void;
  /** As `play`, with so many of them answered already, or refused. */
  goOn(from: number, turns: readonly PlayedTurn[]): void;
  /** In place of what is played: a turn follows from the request, and its ids from the turn. */
  by: ((body: Body, raw: string) => PlayedTurn) | null;
  /** Whole answers, whatever was asked for. */
  whole: boolean;
  /** A request that is sent again gets the same answer again, and plays no turn. */
  sameForSame: boolean;
  close(): Promise<void>;
}

const numberOf = (turn: PlayedTurn): number =>
  createHash('sha256').update(JSON.stringify(turn)).digest().readUInt32LE();

/** `key`: whose signatures these are. */
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
    const again = handle.sameForSame ? answers.get(raw) : undefined;
    const answer = (status: number, type: string, text: string): void => {
      answers.set(raw, { status, type, text });
      response.writeHead(status, { 'content-type': type });
      response.end(text);
    };
    if (again !== undefined) return answer(again.status, again.type, again.text);
    const [next = { text: 'ok' }, ...rest] = queue;
    const turn = handle.by?.(body, raw) ?? next;
    const refused = refusalOf(path, body, key) ?? turn.error?.message ?? null;
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
    const streamed = body.stream === true && !handle.whole;
    const text = write(turn, {
      id: handle.by === null ? answered : numberOf(turn),
      key,
      streamed,
      input: Math.ceil(raw.length / 4),
    });
    answer(200, streamed ? 'text/event-stream' : 'application/json', text);
  });
  // On a busy machine a connection is idle for long: one that is closed as it is used again is a failed request.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const handle: StrictServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    by: null,
    whole: false,
    sameForSame: false,
    play: (...turns) => {
      queue = turns;
      answered = 0;
    },
    goOn(from, turns) {
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
