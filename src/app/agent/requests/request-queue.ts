/**
 * Sends requests to the agent. Each request is stored first; if the agent dies, it is sent again to the next one; and
 * it has its effect only once. Requests of one thread are sent one after another.
 */
import { isSondeError, messageOf, SondeError } from '../../../core/index.ts';
import {
  addCrash,
  type Claim,
  type DeathRecord,
  type Job,
  type JobError,
  judgeDeaths,
  type Queue,
  readDeaths,
  type Settlement,
  workOff,
} from '../../../store/index.ts';
import type { AgentEvent, AgentReply, AgentWaiting } from '../channel/channel.ts';
import type { AgentClient, AgentEventListener, AgentRequest } from '../channel/channel-client.ts';
import { type RequestOutcome, type RequestRow, requestTopic, toJob, toRequestRow } from './request-rows.ts';

export interface ToolAccess {
  readonly tools: { readonly url: string; readonly token: string };
  revoke(): void;
}

export interface RequestQueueOptions {
  readonly queue: Queue;
  /** Creates the access with which the agent uses the tools during one turn. */
  readonly issue: (row: RequestRow) => ToolAccess | Promise<ToolAccess>;
  readonly tell: (line: string) => void;
  /**
   * Counts the stored records of a thread's work. The count grows whenever an agent makes progress.
   */
  readonly progress: (thread: string) => Promise<number>;
  /** Maximum number of requests that the agent works on at once; others wait here. Default: no limit. */
  readonly maxTurns?: number;
  /** Interval between renewals of the leases of active requests: a third of a lease. Milliseconds. */
  readonly renewMs?: number;
}

/** The queue as seen by those who send requests, whether the agent runs under this process or elsewhere. */
export interface AgentRequests {
  /** Stores a request. If its id is stored already, nothing is added. */
  post(row: Pick<RequestRow, 'id' | 'thread' | 'request'>): Promise<RequestRow>;
  /** Finds a request by its id; null: it was never posted. */
  find(id: string): Promise<RequestRow | null>;
  /** Resolves with the outcome when the request is done. */
  waitUntilDone(id: string, signal?: AbortSignal): Promise<RequestOutcome>;
  /**
   * Sends a message to the turn that runs in a thread. The message is stored: if that turn ends before it reads the
   * message, the message starts a turn. `of`: only for the turn of the request with this id.
   */
  steer(
    row: Pick<RequestRow, 'id' | 'thread'> & { readonly text: string; readonly of?: string },
  ): Promise<RequestRow>;
  /** Whether any message was ever sent in this thread. */
  knows(thread: string): Promise<boolean>;
  /** The agent's reply: `details.cancelled` says whether anything was running. Throws as `observe` does. */
  cancel(thread: string): Promise<AgentReply>;
  /**
   * Cancels one request, even before its turn began. Other requests of the thread continue. False if it was already
   * over.
   */
  withdraw(id: string): Promise<boolean>;
  /**
   * Drops the unfinished turn, so that the thread accepts messages again. Returns the agent's reply. `id`: the request
   * id of the event that ends the turn. Throws as `observe` does.
   */
  drop(thread: string, id?: string): Promise<AgentReply>;
  /** The state of a thread, from the agent. Throws `tool_failed` while there is no agent. */
  observe(thread: string): Promise<AgentReply>;
  /** The agent's description of itself, in `details.about`. Throws as `observe` does. */
  ping(): Promise<AgentReply>;
  /** Calls the listener with events of turns. Their `request` is the id of the turn's request row. */
  onEvent(listener: AgentEventListener): () => void;
  /** Calls the listener when a posted request cannot start yet, or cannot continue. */
  onWaiting(listener: (waiting: Omit<AgentWaiting, 'type'>) => void): () => void;
}

/** The part of the queue that the host uses. */
export interface RequestQueue extends AgentRequests {
  /** Looks for requests that another process posted. */
  wake(): void;
  /** Tells the queue that an agent is ready. */
  up(client: AgentClient): void;
  /** Tells the queue that the agent died. */
  down(): void;
  /**
   * Waits up to `drainMs` (default 0) for active requests. Those that are not done then are left for the next host,
   * which does not count as a death of the agent.
   */
  close(drainMs?: number): Promise<void>;
}

/** Interval of retries while another process works on the thread. Milliseconds. */
const pollEveryMs = 1_000;
/**
 * Interval of retries while the thread waits for an answer or has an unfinished turn; the end of a turn causes a retry
 * at once. Milliseconds.
 */
const pollBlockedMs = 30_000;
/** Maximum times that a request is sent again because the store did not answer. */
const maxStoreRetries = 20;

/** A request that the agent works on. */
interface ActiveRequest {
  readonly row: RequestRow;
  readonly deaths: DeathRecord | null;
  readonly end: PromiseWithResolvers<Settlement>;
  /** The event that ended the turn. Listeners get it after the end is stored. Null: the turn has not ended. */
  turnEnd: AgentEvent | null;
}

/** Before it resolves, it fails requests left by a dead agent during which too many agents have died. */
export async function openRequestQueue({
  queue,
  issue,
  tell,
  progress,
  maxTurns = Number.POSITIVE_INFINITY,
  renewMs,
}: RequestQueueOptions): Promise<RequestQueue> {
  let agent: AgentClient | null = null;
  let hadAgent = false;
  const closing = new AbortController();
  /** By request id, not by thread: the next request may start before listeners get the end of the last one. */
  const activeRequests = new Map<string, ActiveRequest>();
  const listeners = new Set<AgentEventListener>();
  const outcomeListeners = new Map<string, Set<(outcome: RequestOutcome) => void>>();
  const waitListeners = new Set<(waiting: Omit<AgentWaiting, 'type'>) => void>();
  /** Requests that were withdrawn after they were claimed. They end before they are sent. */
  const withdrawnIds = new Set<string>();
  /** For each request id, how often it was sent again because the store did not answer. */
  const storeRetryCounts = new Map<string, number>();

  function emitWaiting(
    { id, thread }: Pick<RequestRow, 'id' | 'thread'>,
    behind: AgentWaiting['behind'],
    questions: AgentWaiting['questions'] = [],
  ): void {
    for (const listener of waitListeners) listener({ thread_id: thread, request: id, behind, questions });
  }

  /** Counts the agent's deaths during a request. Returns the new count to store, and a settlement if it is too high. */
  async function checkDeaths({
    job,
  }: Claim): Promise<{ readonly kept: DeathRecord | null; readonly end: Settlement | null }> {
    const earlierDeaths = readDeaths(job);
    if (job.deaths === 0 && earlierDeaths === null) return { kept: null, end: null };
    const { kept, isChanged, end } = judgeDeaths(job, earlierDeaths, await progress(job.group ?? ''));
    if (end === null) return { kept: isChanged ? kept : null, end: null };
    tell(`${job.key} is given up: ${end}`);
    return { kept, end: { kind: 'failed', error: createGivenUpError(toRequestRow(job), end), kept } };
  }

  async function sendToAgent(claim: Claim, signal: AbortSignal): Promise<Settlement> {
    const { kept, end } = await checkDeaths(claim);
    if (end !== null) return end;
    if (kept !== null) await queue.renew(claim, kept);
    const row = toRequestRow(claim.job);
    const toolAccess = await issue(row);
    const client = agent;
    const isWithdrawn = withdrawnIds.delete(row.id);
    if (client === null || signal.aborted || isWithdrawn) {
      toolAccess.revoke();
      return isWithdrawn ? { kind: 'done', result: { status: 'cancelled', text: '' } } : { kind: 'release' };
    }
    const deaths = kept ?? readDeaths(claim.job);
    const activeRequest: ActiveRequest = { row, deaths, end: Promise.withResolvers(), turnEnd: null };
    activeRequests.set(row.id, activeRequest);
    signal.addEventListener('abort', () => activeRequest.end.resolve({ kind: 'release' }), { once: true });
    client
      .request(toAgentRequest(row, toolAccess.tools), row.id)
      .then((reply) => {
        if (reply.status !== 'error') return;
        const settlement = toSettlement(row, reply);
        if (settlement.kind === 'release') emitWaiting(row, ...readBlocker(reply));
        activeRequest.end.resolve(settlement);
      })
      .catch((error: unknown) => {
        // The agent has died. The next one gets the request again.
        if (agent === client) tell(`${row.id}: ${messageOf(error)}`);
      });
    try {
      return await activeRequest.end.promise;
    } finally {
      toolAccess.revoke();
    }
  }

  /** The agent could not begin or end a turn because the store did not answer: the request is sent again. */
  function retryAfterStoreError({ id, error_code: code, message }: AgentReply): void {
    const activeRequest = activeRequests.get(id ?? '');
    if (activeRequest === undefined || code !== 'store_away') return;
    const retryCount = (storeRetryCounts.get(activeRequest.row.id) ?? 0) + 1;
    storeRetryCounts.set(activeRequest.row.id, retryCount);
    tell(`${activeRequest.row.id} is taken up again: ${message}`);
    activeRequest.end.resolve(
      retryCount > maxStoreRetries
        ? { kind: 'done', result: { status: 'failed', text: message } }
        : { kind: 'release', afterMs: pollEveryMs },
    );
  }

  function receive(thread: string, event: AgentEvent, request: string): void {
    const activeRequest = activeRequests.get(request);
    if (event.kind !== 'turn_ended' || activeRequest === undefined || activeRequest.turnEnd !== null) {
      emitEvent(thread, event, request);
      return;
    }
    const { status, text } = event;
    // Listeners get the event after the end is stored.
    activeRequest.turnEnd = event;
    activeRequest.end.resolve({ kind: 'done', result: { status, text } });
  }

  function emitEvent(thread: string, event: AgentEvent, request: string): void {
    for (const listener of listeners) listener(thread, event, request);
    if (event.kind === 'turn_ended') retryThread(thread);
  }

  function onJobEnd(job: Job | null, { job: { key, group } }: Claim): void {
    const endedRequest = activeRequests.get(key);
    activeRequests.delete(key);
    const { outcome = null } = job === null ? {} : toRequestRow(job);
    if (outcome !== null) {
      for (const notify of outcomeListeners.get(key) ?? []) notify(outcome);
      outcomeListeners.delete(key);
      storeRetryCounts.delete(key);
    }
    if (endedRequest !== undefined && endedRequest.turnEnd !== null)
      emitEvent(group ?? '', endedRequest.turnEnd, key);
  }

  /** Retries at once the requests that wait behind a finished one. */
  function retryThread(thread: string): void {
    if (closing.signal.aborted) return;
    queue
      .hasten({ topic: requestTopic, group: thread })
      .then(worker.take)
      .catch((error: unknown) => tell(`${thread}: ${messageOf(error)}`));
  }

  function requireAgent(): AgentClient {
    if (agent !== null) return agent;
    throw new SondeError('tool_failed', {
      message: hadAgent ? 'The agent is being started again' : 'The agent is being started',
      remedy: 'Ask again in a moment.',
    });
  }

  const abandonedJobs = await queue.claim({
    topic: requestTopic,
    max: Number.POSITIVE_INFINITY,
    abandoned: true,
  });
  for (const claim of abandonedJobs) {
    const { kept, end } = await checkDeaths(claim);
    await queue.settle(claim, end ?? { kind: 'release', ...(kept !== null && { kept }) });
  }
  const worker = workOff({
    queue,
    topic: requestTopic,
    slots: maxTurns,
    // If an agent died while several requests were running, any of them may be the cause: they are retried one after
    // another.
    careful: true,
    ready: () => agent !== null,
    pollMs: pollEveryMs,
    ...(renewMs !== undefined && { renewMs }),
    work: (claim, signal) =>
      sendToAgent(claim, signal).catch((thrown: unknown): Settlement => {
        if (!isSondeError(thrown, 'store_away')) throw thrown;
        return { kind: 'release', afterMs: pollEveryMs };
      }),
    onEnded: onJobEnd,
    signal: closing.signal,
    tell,
  });

  async function post(newRow: Pick<RequestRow, 'id' | 'thread' | 'request'>): Promise<RequestRow> {
    const [stored] = await queue.enqueue([toJob(newRow)]);
    if (stored === undefined || stored.kind === 'full')
      throw new SondeError('internal', { message: `The request ${newRow.id} was not stored` });
    const row = toRequestRow(stored.job);
    const isBehind = [...activeRequests.values()].some(
      (activeRequest) => activeRequest.row.thread === row.thread && activeRequest.row.id !== row.id,
    );
    if (row.state === 'waiting' && agent === null) emitWaiting(row, 'agent');
    else if (row.state === 'waiting' && isBehind) emitWaiting(row, 'another');
    void worker.take();
    return row;
  }

  async function withdraw(id: string): Promise<boolean> {
    const activeRequest = activeRequests.get(id);
    if (activeRequest !== undefined) {
      const reply = await agent?.request({ type: 'cancel', thread_id: activeRequest.row.thread, of: id });
      return reply?.details['cancelled'] === true;
    }
    const job = await queue.get(requestTopic, id);
    if (job === null || toRequestRow(job).state === 'done') return false;
    if (job.state === 'running') withdrawnIds.add(id);
    else await queue.cancel(job.id);
    if (job.state !== 'running')
      for (const notify of outcomeListeners.get(id) ?? []) notify({ status: 'cancelled', text: '' });
    retryThread(job.group ?? '');
    return true;
  }

  return {
    post,
    withdraw,
    async steer({ id, thread, text, of }) {
      const request = { kind: 'message', text, schedule: null, event: null, limits: null } as const;
      const row = await post({ id, thread, request });
      if (row.state === 'waiting')
        await agent
          ?.request({ type: 'steer', thread_id: thread, message_id: id, prompt: text, ...(of && { of }) })
          .catch(() => {});
      return row;
    },
    async find(id) {
      const job = await queue.get(requestTopic, id);
      return job === null ? null : toRequestRow(job);
    },
    async waitUntilDone(id, signal) {
      const requestOutcome = Promise.withResolvers<RequestOutcome>();
      const idListeners = outcomeListeners.get(id) ?? new Set();
      outcomeListeners.set(id, idListeners.add(requestOutcome.resolve));
      const stopWaiting = (): void => {
        idListeners.delete(requestOutcome.resolve);
        requestOutcome.reject(new SondeError('cancelled', { message: `The wait for ${id} was cancelled` }));
      };
      signal?.addEventListener('abort', stopWaiting, { once: true });
      if (signal?.aborted === true) stopWaiting();
      const job = await queue.get(requestTopic, id);
      const { outcome = null } = job === null ? {} : toRequestRow(job);
      if (outcome !== null) requestOutcome.resolve(outcome);
      return requestOutcome.promise;
    },
    async knows(thread) {
      return (await queue.list({ topic: requestTopic, group: thread, max: 1 })).jobs.length > 0;
    },
    cancel: async (thread) => requireAgent().request({ type: 'cancel', thread_id: thread }),
    async drop(thread, id) {
      const reply = await requireAgent().request({ type: 'cancel', thread_id: thread, drop: true }, id);
      retryThread(thread);
      return reply;
    },
    observe: async (thread) => requireAgent().request({ type: 'observe', thread_id: thread }),
    ping: async () => requireAgent().request({ type: 'lifecycle', command: 'ping' }),
    onWaiting(listener) {
      waitListeners.add(listener);
      return () => waitListeners.delete(listener);
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wake: () => void worker.take(),
    up(client) {
      agent = client;
      hadAgent = true;
      client.onEvent(receive);
      client.onReply(retryAfterStoreError);
      void worker.take();
    },
    down() {
      agent = null;
      for (const { row, deaths, end } of activeRequests.values()) {
        emitWaiting(row, 'agent');
        end.resolve({ kind: 'died', kept: addCrash(deaths) });
      }
    },
    async close(drainMs = 0) {
      if (drainMs > 0) await worker.close(drainMs);
      agent = null;
      closing.abort();
      await worker.close();
    },
  };
}

const createGivenUpError = ({ thread }: RequestRow, why: string): JobError => ({
  code: 'tool_failed',
  message: `The turn is given up: ${why}.`,
  remedy: `What is left of the turn in ${thread} can be continued, or dropped.`,
});

function toSettlement({ request }: RequestRow, { error_code, message, details }: AgentReply): Settlement {
  if (details['busy'] === true || error_code === 'store_away')
    return { kind: 'release', afterMs: pollEveryMs };
  const isBlocked = details['questions'] !== undefined || details['unfinished'] === true;
  if (isBlocked && request.kind === 'message' && request.schedule === null)
    return { kind: 'release', afterMs: pollBlockedMs };
  return { kind: 'done', result: { status: 'refused', text: `${error_code}: ${message}` } };
}

/** Reads from a refusal what the request has to wait for, and the open questions of its thread. */
function readBlocker({ details }: AgentReply): [AgentWaiting['behind'], AgentWaiting['questions']] {
  const openQuestions = details['questions'];
  return openQuestions === undefined
    ? ['another', []]
    : ['question', openQuestions as AgentWaiting['questions']];
}

function toAgentRequest({ id, thread, request }: RequestRow, tools: ToolAccess['tools']): AgentRequest {
  switch (request.kind) {
    case 'continue':
      return { type: 'resume', thread_id: thread, tools };
    case 'answer':
      return {
        type: 'resume',
        thread_id: thread,
        answer: { question: request.question, value: request.value as never },
        tools,
      };
    case 'message': {
      const { text, event, limits, role, edits, schedule, fire } = request;
      const turn = {
        thread_id: thread,
        message_id: id,
        prompt: text,
        tools,
        ...(limits !== null && { limits }),
        ...(schedule !== null && fire !== undefined && { started_by: { schedule, ...fire } }),
      };
      return event === null
        ? {
            type: 'start_run',
            ...turn,
            ...(role !== undefined && { role }),
            ...(edits !== undefined && { edits }),
          }
        : { type: 'workspace_event', ...turn, event: { id, ...event, payload: event.payload as never } };
    }
  }
}
