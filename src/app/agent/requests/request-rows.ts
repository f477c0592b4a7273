/** Requests to the agent, stored as jobs of a queue. The jobs of a thread are a group, and run one after another. */
import type { Amounts, ErrorCode } from '../../../core/index.ts';
import type { StartedBy } from '../../../session/index.ts';
import type { Job, NewJob } from '../../../store/index.ts';

export const requestTopic = 'agent requests';

export type QueuedRequest =
  | {
      readonly kind: 'message';
      readonly text: string;
      /** The schedule that sent it; null: a person or a program sent it. */
      readonly schedule: string | null;
      /** When the schedule was due, and its time before that. Absent for persons, and in rows of older versions. */
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
  /** How the turn ended, or `refused` if it never began. */
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
  /** How often the agent died while it worked on this request, alone or together with the host. */
  readonly deaths: number;
}

export const toJob = ({ id, thread, request }: Pick<RequestRow, 'id' | 'thread' | 'request'>): NewJob => ({
  topic: requestTopic,
  key: id,
  group: thread,
  inTurn: true,
  // Lower numbers run first: an answer goes before messages that wait for it.
  priority: request.kind === 'message' ? 1 : 0,
  payload: request,
});

export function toRequestRow({ key: id, group, payload, state, result, error, deaths }: Job): RequestRow {
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
  });
}
