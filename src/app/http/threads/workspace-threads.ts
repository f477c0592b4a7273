/** The conversations of a workspace: their states, messages and costs. */
import { type Amounts, resources, zeroAmounts } from '../../../core/index.ts';
import type { CheckpointNote, Message } from '../../../session/index.ts';
import { type RunRow, readBalance, type Sessions, type Store, type ThreadRow } from '../../../store/index.ts';
import type { ThreadNote } from '../../agent/channel/channel.ts';
import type { ThreadActions } from '../../agent/thread-actions.ts';
import { threadOf } from '../../agent/thread-runs.ts';
import type { ThreadLog } from './thread-log.ts';

export interface WorkspaceThreads {
  readonly actions: ThreadActions;
  readonly log: ThreadLog;
  readonly threads: Pick<Sessions['threads'], 'list' | 'create' | 'has' | 'get'>;
  rename(thread: string, title: string): Promise<ThreadRow>;
  /** Removes a conversation without messages. */
  discard(thread: string): Promise<void>;
  describe(thread: string): Promise<ThreadNote>;
  /** Whether the run is a turn that waits for an answer. */
  isAsking(run: RunRow): Promise<boolean>;
  messages(thread: string): Promise<readonly Message[]>;
  /** The run of each turn, by the id of the user's message that began it. */
  listTurns(thread: string): Promise<ReadonlyMap<string, string>>;
  checkpoints(
    thread: string,
    options: { readonly limit: number; readonly before?: string },
  ): Promise<readonly CheckpointNote[]>;
  fork(fork: {
    readonly from: string;
    readonly to: string;
    readonly checkpoint?: string;
    readonly title?: string;
  }): Promise<ThreadRow>;
  /** The cost of each thread, over all of its turns and the work they delegated. */
  sumSpending(threads: readonly string[]): Promise<ReadonlyMap<string, Spending>>;
}

export interface Spending {
  readonly runs: number;
  /** The run of its last turn. */
  readonly last: string | null;
  readonly spent: Amounts;
}

export interface WorkspaceThreadsOptions {
  readonly actions: ThreadActions;
  readonly log: ThreadLog;
  readonly sessions: Sessions;
  readonly store: Store;
}

/** Maximum number of runs to search, newest first. */
const maxRuns = 2_000;

/** Loads the code of turns when a conversation is first opened. */
const loadTurns = () => import('../../agent/turns.ts');
const loadSession = () => import('../../../session/index.ts');

export function workspaceThreads({
  actions,
  log,
  sessions,
  store,
}: WorkspaceThreadsOptions): WorkspaceThreads {
  const { threads, checkpoints } = sessions;
  const readState = async (thread: string) => {
    await threads.get(thread);
    return (await loadTurns()).stateOf(sessions, thread);
  };
  return {
    actions,
    log,
    threads,
    async rename(thread, title) {
      const lease = await threads.acquire(thread);
      try {
        return await threads.touch(lease, { title });
      } finally {
        await lease.release();
      }
    },
    async discard(thread) {
      await threads.remove(await threads.acquire(thread));
    },
    async describe(thread) {
      await threads.get(thread);
      return (await loadTurns()).noteOf(sessions, thread, await threads.isHeld(thread));
    },
    async isAsking(row) {
      const thread = threadOf(row);
      if (row.shape !== 'turn' || thread === undefined || !(await threads.has(thread))) return false;
      const { questions } = await readState(thread);
      return questions.length > 0 && !(await threads.isHeld(thread));
    },
    messages: async (thread) => (await readState(thread)).messages,
    async listTurns(thread) {
      const rows = (await store.runs.list(maxRuns)).filter(
        (row) => row.shape === 'turn' && threadOf(row) === thread,
      );
      return new Map(rows.map(({ id, params }) => [String(params['message']), id]));
    },
    async checkpoints(thread, wanted) {
      await threads.get(thread);
      return (await loadSession()).listCheckpoints(thread, checkpoints, wanted);
    },
    fork: async (fork) => (await loadSession()).forkThread(fork, sessions),
    async sumSpending(threadIds) {
      const wantedThreads = new Set(threadIds);
      const rows = (await store.runs.list(maxRuns)).filter((row) => wantedThreads.has(threadOf(row) ?? ''));
      const groups = Map.groupBy(rows, (row) => threadOf(row)!);
      const spendings = [...groups].map(async ([thread, threadRuns]) => {
        const balances = await Promise.all(threadRuns.map(({ id }) => readBalance(store, id)));
        const spent = Object.fromEntries(
          resources.map((name) => [
            name,
            balances.reduce((sum, balance) => sum + (balance?.spent[name] ?? 0), zeroAmounts[name]),
          ]),
        );
        const lastTurn = threadRuns.find(({ shape }) => shape === 'turn')?.id ?? null;
        return [thread, { runs: threadRuns.length, last: lastTurn, spent }] as const;
      });
      return new Map(await Promise.all(spendings));
    },
  };
}
