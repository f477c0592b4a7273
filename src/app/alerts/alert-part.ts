/** The HTTP intake of alerts: checks the token, limits the size, and answers before anything is investigated. */
import type { Meter } from '@opentelemetry/api';
import type { Context, MiddlewareHandler } from 'hono';
import { isSondeError, messageOf } from '../../core/index.ts';
import { senders } from '../../tasks/incident/index.ts';
import { safeJson } from '../safe-json.ts';
import { readBearer, type ServerEnvironment, type ServerPart } from '../server/server-part.ts';
import { createAlertTally } from './alert-metrics.ts';
import { bodyReader } from './body.ts';
import { checkHeaders, checkReader, type EntryOptions, type Refusal, refusalHeaders } from './entry.ts';
import { type AlertGroups, groupStates } from './groups.ts';
import type { AlertQueue, Arrival, Receipt } from './queue.ts';

export interface AlertPartOptions extends EntryOptions {
  readonly queue: AlertQueue;
  readonly groups: Pick<AlertGroups, 'list' | 'counts' | 'retry' | 'oldestWaiting'>;
  /** Registers the metrics of investigations; absent: there are none. */
  readonly measures?: (meter: Meter) => void;
  /** Called when a new or retried group waits for its investigation. */
  readonly onAlerts: () => void;
  /** The reason why alerts cannot be stored or investigated now; null if they can. */
  readonly notReady?: () => Promise<string | null> | string | null;
}

type AlertContext = Context<ServerEnvironment>;

/** When the queue is full, senders are told to try again after this many seconds. */
const retryAfterSeconds = 30;
/** How long messages are collected before they are written in one batch. Milliseconds. */
const batchMs = 10;
/** Maximum number of groups in a reply. */
const maxListed = 200;

export function alertPart(options: AlertPartOptions): ServerPart {
  const { queue, groups, tokenCheck, onAlerts, tell, notReady } = options;
  const readBody = bodyReader();
  const store = batchWrites(queue);
  const tally = createAlertTally(options.clock);

  async function receive(context: AlertContext, path?: string): Promise<Response> {
    const identity = checkHeaders(options, context.req.raw.headers, path);
    if (identity.kind === 'refused') return refuse(identity, path);
    try {
      const body = await readBody(context.env.incoming);
      // No `connection: close`: the connection would end at once, and a sender that still writes would miss the reply.
      if (body.kind === 'refused')
        return answer(
          body.status,
          refusalBody(body.code, body.message),
          body.status === 429 ? retryAfter : {},
        );
      const verdict = await identity.verify(body);
      if (verdict.kind === 'done') return answer(200, { done: verdict.what });
      if (verdict.kind === 'refused') return refuse(verdict, identity.sender);
      const receipt = await store(body.text, { sender: identity.sender, delivery: verdict.delivery });
      tally.add(receipt);
      if (receipt.repeated !== true && receipt.taken.some(({ state }) => state === 'opened')) onAlerts();
      return toReceipt(receipt);
    } catch (thrown) {
      tell(`a request failed: ${messageOf(thrown)}`);
      // Many senders repeat a message after this status and no other.
      const isAway = isSondeError(thrown, 'store_away');
      const refusal = refusalBody('not_kept', 'the alert could not be kept; send it again');
      return isAway ? answer(503, refusal, retryAfter) : answer(500, refusal);
    }
  }

  function refuse({ status, why }: Refusal, sender?: string): Response {
    tally.refuse(sender ?? 'unknown', 'not_let_in');
    return answer(status, { error: why }, refusalHeaders(status));
  }

  async function list(context: AlertContext, withAlerts: boolean): Promise<Response> {
    const requestedState = context.req.query('state');
    const state = groupStates.find((state) => state === requestedState);
    if (requestedState !== undefined && state === undefined)
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
      const refusal = checkReader(tokenCheck.check(token));
      if (refusal === null) return null;
      return refusal.status === 403
        ? { status: 403, why: `${refusal.why}; ${metricsRule}` }
        : noTokenForMetrics;
    },
    mount(app) {
      const requireReader: MiddlewareHandler<ServerEnvironment> = async (context, next) => {
        const refusal = checkReader(tokenCheck.check(readBearer(context.req.raw.headers)));
        return refusal === null ? next() : refuse(refusal);
      };
      app.post('/alerts', (context) => receive(context));
      app.get('/alerts', requireReader, (context) => list(context, true));
      app.get('/alerts/groups', requireReader, (context) => list(context, false));
      app.post('/alerts/groups/:id/retry', requireReader, (context) => retry(context.req.param('id')));
      app.post('/alerts/:sender', (context) => {
        const sender = context.req.param('sender').toLowerCase();
        return senders.some((known) => known === sender)
          ? receive(context, sender)
          : answer(404, { error: `there is no sender ${sender}: ${senders.join(', ')}` });
      });
      app.all('/alerts', requireReader, () => answer(405, { error: 'send POST' }, { allow: 'GET, POST' }));
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
  type WaitingMessage = {
    readonly message: ReturnType<typeof prepare>;
    readonly settled: PromiseWithResolvers<Receipt>;
  };
  let waitingMessages: WaitingMessage[] = [];
  const writeBatch = async (batch: readonly WaitingMessage[]): Promise<void> => {
    try {
      const receipts = await receive(batch.map(({ message }) => message));
      for (const [n, { settled }] of batch.entries()) settled.resolve(receipts[n]!);
    } catch (thrown) {
      // One message may have made its batch fail, so each is written alone. If the store itself fails, all are rejected.
      if (isSondeError(thrown) || batch.length === 1) for (const { settled } of batch) settled.reject(thrown);
      else for (const item of batch) await writeBatch([item]);
    }
  };
  return async (sent, arrival) => {
    const message = prepare(sent, arrival);
    if (waitingMessages.length === 0)
      setTimeout(() => {
        const batch = waitingMessages;
        waitingMessages = [];
        void writeBatch(batch);
      }, batchMs);
    const settled = Promise.withResolvers<Receipt>();
    waitingMessages.push({ message, settled });
    return settled.promise;
  };
}

function toReceipt({ taken, refused, repeated }: Receipt): Response {
  const codes = new Set(refused.map(({ code }) => code));
  const count = (wantedState: string): number => taken.filter(({ state }) => state === wantedState).length;
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

function statusOf(takenCount: number, refusedCount: number, codes: ReadonlySet<string>): number {
  if (refusedCount === 0) return 202;
  if (takenCount > 0) return 207;
  if (codes.has('full')) return 429;
  return codes.has('not_kept') ? 500 : 400;
}

/** The body of a reply that refuses a whole message. */
const refusalBody = (code: string, message: string): object => ({
  error: message,
  taken: [],
  refused: [{ index: 0, code, message }],
});

const answer = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${safeJson(value)}\n`, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
