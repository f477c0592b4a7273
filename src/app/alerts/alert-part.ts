/** The HTTP intake of alerts: checks the token, limits the size, and answers before anything is investigated. */
import type { Meter } from '@opentelemetry/api';
import type { Context, MiddlewareHandler } from 'hono';
import { isSondeError, messageOf } from '../../core/index.ts';
import { senders } from '../../tasks/incident/index.ts';
import { safeJson } from '../safe-json.ts';
import { bearerIn, type ServerEnvironment, type ServerPart } from '../server/server-part.ts';
import { alertTally } from './alert-metrics.ts';
import { bodyReader } from './body.ts';
import { type EntryOptions, entryOf, type Refusal, readerRefusal, refusalHeaders } from './entry.ts';
import { type AlertGroups, groupStates } from './groups.ts';
import type { AlertQueue, Arrival, Receipt } from './queue.ts';

export interface AlertPartOptions extends EntryOptions {
  readonly queue: AlertQueue;
  readonly groups: Pick<AlertGroups, 'list' | 'counts' | 'retry' | 'oldestWaiting'>;
  /** Adds measurements of the investigations; absent: none are made. */
  readonly measures?: (meter: Meter) => void;
  /** Called when a new group waits for an investigation, or a failed one again. */
  readonly onAlerts: () => void;
  /** The reason why alerts cannot be stored or investigated now; null if they can. */
  readonly notReady?: () => Promise<string | null> | string | null;
}

type AlertContext = Context<ServerEnvironment>;

/** Seconds after which a sender may try again when the queue is full. */
const retryAfterSeconds = 30;
/** How long messages are collected before they are written in one batch. Milliseconds. */
const gatherMs = 10;
/** Maximum groups in a reply. */
const maxListed = 200;

export function alertPart(options: AlertPartOptions): ServerPart {
  const { queue, groups, tokenCheck, onAlerts, tell, notReady } = options;
  const read = bodyReader();
  const store = batchWrites(queue);
  const tally = alertTally(options.clock);

  async function receive(ask: AlertContext, path?: string): Promise<Response> {
    const entry = entryOf(options, ask.req.raw.headers, path);
    if (entry.kind === 'refused') return refuse(entry, path);
    try {
      const body = await read(ask.env.incoming);
      // No `connection: close`: the connection would end at once, and a sender that still writes would miss the reply.
      if (body.kind === 'refused')
        return answer(
          body.status,
          refuseWhole(body.code, body.message),
          body.status === 429 ? retryAfter : {},
        );
      const proved = await entry.prove(body);
      if (proved.kind === 'done') return answer(200, { done: proved.what });
      if (proved.kind === 'refused') return refuse(proved, entry.sender);
      const receipt = await store(body.text, { sender: entry.sender, delivery: proved.delivery });
      tally.add(receipt);
      if (receipt.repeated !== true && receipt.taken.some(({ state }) => state === 'opened')) onAlerts();
      return toReceipt(receipt);
    } catch (thrown) {
      tell(`a request failed: ${messageOf(thrown)}`);
      // What is away comes back: many senders try again after this status alone.
      const isAway = isSondeError(thrown, 'store_away');
      const refusal = refuseWhole('not_kept', 'the alert could not be kept; send it again');
      return isAway ? answer(503, refusal, retryAfter) : answer(500, refusal);
    }
  }

  function refuse({ status, why }: Refusal, sender?: string): Response {
    tally.refuse(sender ?? 'unknown', 'not_let_in');
    return answer(status, { error: why }, refusalHeaders(status));
  }

  async function list(ask: AlertContext, withAlerts: boolean): Promise<Response> {
    const wanted = ask.req.query('state');
    const state = groupStates.find((known) => known === wanted);
    if (wanted !== undefined && state === undefined)
      return answer(400, { error: `state may be ${groupStates.join(', ')}` });
    return answer(200, {
      ...(withAlerts && (await groups.counts())),
      ...(await groups.list({ state, max: maxListed })),
    });
  }

  async function retry(id: string): Promise<Response> {
    if (!/^[1-9]\d{0,14}$/.test(id)) return answer(400, { error: `${id} is not the id of a group` });
    try {
      const group = await groups.retry(Number(id));
      onAlerts();
      return answer(202, group);
    } catch (thrown) {
      if (!isSondeError(thrown)) throw thrown;
      const status = thrown.code === 'not_found' ? 404 : thrown.code === 'run_state' ? 409 : 500;
      return answer(status, { error: thrown.message });
    }
  }

  return {
    name: 'alerts',
    ...(notReady && { notReady }),
    measure(meter) {
      tally.measure(meter, groups);
      options.measures?.(meter);
    },
    readRefusal(token) {
      const refused = readerRefusal(tokenCheck.check(token));
      if (refused === null) return null;
      return refused.status === 403
        ? { status: 403, why: `${refused.why}; ${metricsRule}` }
        : noTokenForMetrics;
    },
    mount(app) {
      const readers: MiddlewareHandler<ServerEnvironment> = async (ask, next) => {
        const refused = readerRefusal(tokenCheck.check(bearerIn(ask.req.raw.headers)));
        return refused === null ? next() : refuse(refused);
      };
      app.post('/alerts', (ask) => receive(ask));
      app.get('/alerts', readers, (ask) => list(ask, true));
      app.get('/alerts/groups', readers, (ask) => list(ask, false));
      app.post('/alerts/groups/:id/retry', readers, (ask) => retry(ask.req.param('id')));
      app.post('/alerts/:sender', (ask) => {
        const sender = ask.req.param('sender').toLowerCase();
        return senders.some((known) => known === sender)
          ? receive(ask, sender)
          : answer(404, { error: `there is no sender ${sender}: ${senders.join(', ')}` });
      });
      app.all('/alerts', readers, () => answer(405, { error: 'send POST' }, { allow: 'GET, POST' }));
    },
  };
}

const metricsRule =
  '/metrics needs a token for alerts that is not limited to one sender (sonde token add NAME --alerts)';
const noTokenForMetrics = {
  status: 401,
  why: `send the header Authorization: Bearer TOKEN; ${metricsRule}`,
} as const;

const retryAfter = { 'retry-after': String(retryAfterSeconds) };

/** Writes messages that arrive at about the same time in one batch, so that a storm of alerts needs few disk writes. */
function batchWrites({ prepare, receive }: AlertQueue): (sent: string, arrival: Arrival) => Promise<Receipt> {
  type Waiting = {
    readonly message: ReturnType<typeof prepare>;
    readonly settled: PromiseWithResolvers<Receipt>;
  };
  let waiting: Waiting[] = [];
  const write = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const receipts = await receive(batch.map(({ message }) => message));
      for (const [n, { settled }] of batch.entries()) settled.resolve(receipts[n]!);
    } catch (thrown) {
      // A message may make the write of its batch fail: each message is then written alone. If the store fails, all fail.
      if (isSondeError(thrown) || batch.length === 1) for (const { settled } of batch) settled.reject(thrown);
      else for (const one of batch) await write([one]);
    }
  };
  return async (sent, arrival) => {
    const message = prepare(sent, arrival);
    if (waiting.length === 0)
      setTimeout(() => {
        const batch = waiting;
        waiting = [];
        void write(batch);
      }, gatherMs);
    const settled = Promise.withResolvers<Receipt>();
    waiting.push({ message, settled });
    return settled.promise;
  };
}

function toReceipt({ taken, refused, repeated }: Receipt): Response {
  const codes = new Set(refused.map(({ code }) => code));
  const count = (wanted: string): number => taken.filter(({ state }) => state === wanted).length;
  return answer(
    statusOf(taken.length, refused.length, codes),
    {
      alerts: taken.length,
      opened: count('opened'),
      joined: count('joined'),
      resolved: count('resolved'),
      taken,
      refused,
      ...(repeated && { repeated }),
      ...(taken.length === 0 && { error: refused[0]?.message }),
    },
    codes.has('full') ? retryAfter : {},
  );
}

function statusOf(taken: number, refused: number, codes: ReadonlySet<string>): number {
  if (refused === 0) return 202;
  if (taken > 0) return 207;
  if (codes.has('full')) return 429;
  return codes.has('not_kept') ? 500 : 400;
}

/** The body of a reply that refuses a whole message. */
const refuseWhole = (code: string, message: string): object => ({
  error: message,
  taken: [],
  refused: [{ index: 0, code, message }],
});

const answer = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${safeJson(value)}\n`, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
