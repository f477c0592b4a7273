/** The request queue of a front: stores requests in the shared queue, and sends everything else to the host. */
import { type ErrorCode, errorCodes, SondeError } from '../../core/index.ts';
import type { HostChannel, Sessions } from '../../store/index.ts';
import type { AgentReply } from '../agent/channel/channel.ts';
import { okReply } from '../agent/replies.ts';
import type { AgentRequests } from '../agent/requests/request-queue.ts';
import { type RequestOutcome, requestTopic, toJob, toRequestRow } from '../agent/requests/request-rows.ts';
import type { FrontEvents } from './front-events.ts';
import type { RequestReply, TeamRequest } from './host-requests.ts';

export interface ForwardingOptions {
  readonly sessions: Sessions;
  readonly hostChannel: Pick<HostChannel, 'ask' | 'wake'>;
  readonly events: Pick<FrontEvents, 'onEvent'>;
}

/** Interval between look-ups of a request whose outcome a caller waits for. Milliseconds. */
const lookMs = 1_000;
/** How long to wait until the host confirms a message to a running turn, which is stored anyway. Milliseconds. */
const steerTimeoutMs = 3_000;

export function forwardingQueue({ sessions, hostChannel, events }: ForwardingOptions): AgentRequests {
  const { queue, threads } = sessions;

  async function findRequest(id: string) {
    const job = await queue.get(requestTopic, id);
    return job === null ? null : toRequestRow(job);
  }

  async function post(newRow: Parameters<AgentRequests['post']>[0]) {
    const [stored] = await queue.enqueue([toJob(newRow)]);
    if (stored === undefined || stored.kind === 'full')
      throw new SondeError('internal', { message: `The request ${newRow.id} was not stored` });
    // If the wake-up fails, the host finds the message at its next look-up.
    hostChannel.wake().catch(() => {});
    return toRequestRow(stored.job);
  }

  async function askHost(request: TeamRequest, patienceMs?: number): Promise<RequestReply> {
    const requestReply = (await hostChannel.ask(request, patienceMs)) as RequestReply;
    if (requestReply.kind !== 'refused') return requestReply;
    const { code, message } = requestReply;
    throw new SondeError((Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode, {
      message,
      remedy: 'Ask again in a moment.',
    });
  }

  async function requestReplyOf(request: TeamRequest): Promise<AgentReply> {
    const requestReply = await askHost(request);
    if (requestReply.kind === 'reply') return requestReply.reply;
    throw new SondeError('internal', { message: `The host gave no reply to ${request.act}` });
  }

  return {
    post,
    find: findRequest,
    async waitUntilDone(id, signal) {
      for (;;) {
        const requestChanged = Promise.withResolvers<void>();
        const stopListening = events.onEvent((_, event, request) => {
          if (request === id && event.kind === 'turn_ended') requestChanged.resolve();
        });
        const timer = setTimeout(requestChanged.resolve, lookMs);
        signal?.addEventListener('abort', () => requestChanged.resolve(), { once: true });
        try {
          const outcome: RequestOutcome | null = (await findRequest(id))?.outcome ?? null;
          if (outcome !== null) return outcome;
          if (signal?.aborted)
            throw new SondeError('cancelled', { message: `The wait for ${id} was cancelled` });
          await requestChanged.promise;
        } finally {
          clearTimeout(timer);
          stopListening();
        }
      }
    },
    async steer({ id, thread, text, of }) {
      const request = { kind: 'message', text, schedule: null, event: null, limits: null } as const;
      const row = await post({ id, thread, request });
      if (row.state === 'waiting')
        await askHost(
          { act: 'steer', id, thread, text, ...(of !== undefined && { of }) },
          steerTimeoutMs,
        ).catch(() => {});
      return row;
    },
    knows: async (thread) =>
      (await queue.list({ topic: requestTopic, group: thread, max: 1 })).jobs.length > 0,
    cancel: (thread) => requestReplyOf({ act: 'cancel', thread }),
    async withdraw(id) {
      const job = await queue.get(requestTopic, id);
      if (job === null || toRequestRow(job).state === 'done') return false;
      const requestReply = await askHost({ act: 'withdraw', id });
      return requestReply.kind === 'withdrawn' && requestReply.wasCancelled;
    },
    drop: (thread, id) => requestReplyOf({ act: 'drop', thread, ...(id !== undefined && { id }) }),
    // Reads the state of a thread from the store, so that it works without a host.
    async observe(thread) {
      const { describeThread: noteOf } = await import('../agent/thread-input.ts');
      const unknownThread = { state: 'unknown', questions: [], last: null };
      const note = (await threads.has(thread))
        ? await noteOf(sessions, thread, await threads.isHeld(thread))
        : unknownThread;
      return okReply(`observe ${thread}`, 'thread', { ...note });
    },
    ping: () => requestReplyOf({ act: 'ping' }),
    onEvent: events.onEvent,
    onWaiting: () => () => {},
  };
}
