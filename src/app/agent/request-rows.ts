/** The requests to the agent: jobs of a queue, in the group of their thread, one after another. */
import type { Amounts, ErrorCode } from '../../core/index.ts';
import type { StartedBy } from '../../session/index.ts';
import type { Job, JobError, NewJob } from '../../store/index.ts';

export const requestTopic = 'agent requests';

export type QueuedRequest =
  | {
      readonly kind: 'message';
      readonly text: string;
      /** The schedule it comes from; null: a person or a program. */
      readonly schedule: string | null;
      /** When the schedule was due, and when it was due the time before. Absent from requests of persons, and of older versions. */
      readonly fire?: Omit<StartedBy, 'schedule'>;
      readonly event: { readonly name: string; readonly payload: unknown } | null;
      readonly limits: Amounts | null;
      /** The agent's role in this turn; absent: the role that is stored for the conversation. */
      readonly role?: string;
      /** The message that this one replaces, together with everything after it. */
      readonly edits?: string;
    }
  | { readonly kind: 'answer'; readonly question: string; readonly value: unknown }
  | { readonly kind: 'continue' };

export interface RequestOutcome {
  /** How the turn ended, or `refused`. */
  readonly status: string;
  readonly text: string;
  /** Set if the turn ended without a result of its own, or never began. */
  readonly error?: { readonly code: ErrorCode; readonly remedy: string; readonly deaths: number };
}

export interface RequestRow {
  readonly id: string;
  readonly thread: string;
  readonly request: QueuedRequest;
  readonly state: 'waiting' | 'running' | 'done';
  readonly outcome: RequestOutcome | null;
  /** How often the agent, alone or with the host, died while it worked on this request. */
  readonly deaths: number;
  /** How many of the last crashes in a row happened before any new work of the thread was stored. */
  readonly stuck: number;
}

/** Maximum deaths in a row without progress, and in all. After these the request is given up. */
export const maxDeaths = { withoutProgress: 5, inAll: 50 } as const;

/** How often the agent died while it worked on a request. */
interface Deaths {
  readonly deaths: number;
  readonly stuck: number;
  /** How much of the thread's work was stored when the deaths were last counted; null: never counted. */
  readonly progress: number | null;
}

export const jobFor = ({ id, thread, request }: Pick<RequestRow, 'id' | 'thread' | 'request'>): NewJob => ({
  topic: requestTopic,
  key: id,
  group: thread,
  inTurn: true,
  // Answers come before messages that wait behind the question.
  priority: request.kind === 'message' ? 1 : 0,
  payload: request,
});

export function rowOf({ key: id, group, payload, state, result, error, deaths, kept }: Job): RequestRow {
  const { stuck = 0 } = (kept ?? {}) as Partial<Deaths>;
  const outcome: RequestOutcome | null =
    state === 'cancelled'
      ? { status: 'cancelled', text: '' }
      : state !== 'failed' || error === null
        ? (result as RequestOutcome | null)
        : {
            status: 'failed',
            text: error.message,
            error: { code: error.code as ErrorCode, remedy: error.remedy ?? '', deaths },
          };
  return Object.freeze({
    id,
    thread: group ?? '',
    request: payload as QueuedRequest,
    state: state === 'waiting' || state === 'running' ? state : 'done',
    outcome,
    deaths,
    stuck,
  });
}

/** The deaths to store for a request whose agent died since it was last examined; null if none died. */
export async function deathsOf(
  { deaths, kept }: Job,
  progress: () => Promise<number>,
): Promise<Deaths | null> {
  const last = (kept ?? { deaths: 0, stuck: 0, progress: null }) as Deaths;
  // Somebody had it tried again after it was given up: it begins as a new one does.
  const before = deaths < last.deaths ? { ...last, deaths: 0, stuck: 0 } : last;
  const more = deaths - before.deaths;
  if (more <= 0) return before === last ? null : before;
  const now = await progress();
  // After the first death there is nothing to compare with.
  const further = before.progress !== null && now > before.progress;
  return { deaths, stuck: further ? 0 : before.stuck + more, progress: now };
}

export const isGivenUp = ({ deaths, stuck }: Pick<RequestRow, 'deaths' | 'stuck'>): boolean =>
  stuck >= maxDeaths.withoutProgress || deaths >= maxDeaths.inAll;

export function giveUp({ thread, deaths, stuck }: RequestRow): JobError {
  const lately = stuck < deaths && stuck >= maxDeaths.withoutProgress;
  const last = lately ? `, the last ${stuck} times without coming any further` : '';
  return {
    code: 'tool_failed',
    message: `The agent died ${deaths} times over this${last}, so that it is not tried again.`,
    remedy: `What is left of the turn in ${thread} can be continued, or dropped.`,
  };
}
