/** The runs that a caller may see: those of conversations, and for author and operator also the person's own. */
import { isSondeError, type LoggedEvent, SondeError } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
import type { Role } from './askers.ts';
import { openTail, type Tail } from './feed/tail.ts';
import { readPastCursor } from './lists.ts';

export interface VisibleRun {
  readonly row: RunRow;
  readonly store: Store;
  /** True: the run belongs to no conversation of the workspace. */
  readonly isOwn: boolean;
}

export interface VisibleRuns {
  /** Newest first. */
  list(
    role: Role,
    options: {
      readonly after: readonly [created: number, id: string] | null;
      readonly count: number;
      /** Only runs of this kind. */
      readonly shape?: string;
    },
  ): Promise<readonly VisibleRun[]>;
  /** The newest runs of the conversations, and as many of the person's own runs. */
  newest(count: number): Promise<readonly VisibleRun[]>;
  /** Finds a run by its full id. Throws `not_found`. */
  find(role: Role, id: string): Promise<VisibleRun>;
  tail(run: VisibleRun): Tail<LoggedEvent>;
}

export interface VisibleRunsOptions {
  /** The store of the workspace. */
  readonly conversations: Store;
  /** The person's own store, with runs over any folder. Opened at the first request that may see it. */
  readonly openOwn: () => Promise<Store>;
  /** True: `openOwn` opens a store with only the caller's team's runs, which every member of the team may see. */
  readonly isTeamStore?: boolean;
}

const maxEvents = 500;

export function visibleRuns({
  conversations,
  openOwn,
  isTeamStore = false,
}: VisibleRunsOptions): VisibleRuns {
  const tails = new Map<string, Tail<LoggedEvent>>();
  let ownStore: Promise<Store> | undefined;
  async function storesFor(role: Role): Promise<readonly Store[]> {
    if (role === 'reader' && !isTeamStore) return [conversations];
    ownStore ??= openOwn();
    return [await ownStore, conversations];
  }

  const toVisible = (row: RunRow, store: Store): VisibleRun => ({
    row,
    store,
    isOwn: store !== conversations,
  });

  return {
    async newest(count) {
      const stores = await storesFor('author');
      const rows = stores.map(async (store) =>
        (await store.runs.list(count)).map((row) => toVisible(row, store)),
      );
      return (await Promise.all(rows)).flat();
    },
    async list(role, { after, count, shape: kind }) {
      const isAfterCursor = ({ created, id, shape }: RunRow): boolean =>
        (kind === undefined || shape === kind) &&
        (after === null || created < after[0] || (created === after[0] && id < after[1]));
      const foundRuns = await Promise.all(
        (await storesFor(role)).map(async (store) =>
          (await readPastCursor((n) => store.runs.list(n), isAfterCursor, count)).map((row) =>
            toVisible(row, store),
          ),
        ),
      );
      return foundRuns
        .flat()
        .toSorted((a, b) => b.row.created - a.row.created || (a.row.id < b.row.id ? 1 : -1))
        .slice(0, count);
    },
    async find(role, id) {
      for (const store of await storesFor(role)) {
        const row = await store.runs.get(id).catch((thrown: unknown) => {
          if (isSondeError(thrown, 'not_found') || isSondeError(thrown, 'bad_argument')) return null;
          throw thrown;
        });
        // The store also finds runs by the beginning of an id, which this interface does not allow.
        if (row?.id === id) return toVisible(row, store);
      }
      throw new SondeError('not_found', {
        message: `There is no run ${id}, or it is not yours to look at`,
        remedy: 'GET /api/v1/runs lists the existing runs.',
      });
    },
    tail({ row: { id }, store }) {
      const openedTail = tails.get(id);
      if (openedTail !== undefined) return openedTail;
      const tail = openTail<LoggedEvent>({
        read: async (after) => (await store.events(id, after)).slice(0, maxEvents),
        positionOf: ({ seq }) => seq,
      });
      tails.set(id, tail);
      return tail;
    },
  };
}
