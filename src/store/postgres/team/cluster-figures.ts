/** Totals over a store that many processes share, for metrics. */
import type { Amounts } from '../../../core/index.ts';
import type { PostgresOptions } from '../connection.ts';
import { withConnection } from '../with-connection.ts';
import { type ClusterState, readClusterState, type TopicState } from './cluster-state.ts';

export interface ClusterFigures {
  readonly answerMs: number;
  /** Sums over the shared schema and all workspaces. */
  readonly topics: readonly Pick<TopicState, 'topic' | 'waiting' | 'running' | 'dead' | 'oldestMs'>[];
  readonly runs: { readonly held: number; readonly expired: number };
  /** Null for one workspace: workers belong to the whole store. */
  readonly workers: { readonly count: number; readonly slots: number } | null;
  readonly hosts: { readonly there: number; readonly missing: number };
  /** The age of the newest backup, of the workspace whose backup is the oldest. Milliseconds; null: there is none. */
  readonly backupMs: number | null;
  /** What the runs of the queue spent. `team` null: all teams together. */
  readonly spending: readonly { readonly team: string | null; readonly spent: Amounts }[];
}

/** `teams`: whether spending is split by team. Throws `store_away` and the other errors of a store. */
export async function readClusterFigures(
  options: PostgresOptions,
  { teams }: { readonly teams: boolean },
): Promise<ClusterFigures> {
  const state = await readClusterState(options);
  return {
    ...sumFigures(state),
    spending: state.team.version === 0 ? [] : await readSpending(options, teams),
  };
}

/** The figures of one workspace, for its fronts: without workers, teams and spending. */
export async function readWorkspaceFigures(
  options: PostgresOptions,
  schema: string,
): Promise<ClusterFigures> {
  const { clock, ...state } = await readClusterState(options, [schema]);
  const emptyTeam = { ...state.team, topics: [], runs: { held: 0, expired: 0, oldestExpiredMs: null } };
  return { ...sumFigures({ ...state, clock, team: emptyTeam }), workers: null, spending: [] };
}

function sumFigures({ team, workspaces, workers, clock }: ClusterState): Omit<ClusterFigures, 'spending'> {
  const allSchemas = [team, ...workspaces];
  const topics = Map.groupBy(
    allSchemas.flatMap((place) => place.topics),
    ({ topic }) => topic,
  );
  const sum = <One>(all: readonly One[], amount: (one: One) => number): number =>
    all.reduce((total, one) => total + amount(one), 0);
  const activeWorkers = workers.filter(({ slots }) => slots > 0);
  const backupAges = workspaces.flatMap(({ backup }) => (backup === null ? [] : [backup.ageMs]));
  const hostCount = workspaces.filter(({ host }) => (host?.overMs ?? 0) < 0).length;
  return {
    answerMs: clock.sureMs,
    topics: [...topics].map(([topic, all]) => ({
      topic,
      waiting: sum(all, ({ waiting }) => waiting),
      running: sum(all, ({ running }) => running),
      dead: sum(all, ({ dead }) => dead),
      oldestMs: all.reduce<number | null>(
        (oldest, topicState) =>
          topicState.oldestMs === null ? oldest : Math.max(oldest ?? 0, topicState.oldestMs),
        null,
      ),
    })),
    runs: {
      held: sum(allSchemas, ({ runs }) => runs.held),
      expired: sum(allSchemas, ({ runs }) => runs.expired),
    },
    workers: { count: activeWorkers.length, slots: sum(activeWorkers, ({ slots }) => slots) },
    hosts: { there: hostCount, missing: workspaces.length - hostCount },
    backupMs: backupAges.length === 0 ? null : Math.max(...backupAges),
  };
}

/** The id of a run is also the name of its account and the key of its job. Money is stored in micro-dollars. */
async function readSpending(options: PostgresOptions, teams: boolean): Promise<ClusterFigures['spending']> {
  const { rows } = await withConnection(options, 'sonde', (client) =>
    client.query(
      `SELECT ${teams ? 'team' : 'NULL'} AS team, resource,
         sum(spent)::float8 / CASE resource WHEN 'usd' THEN 1e6 ELSE 1 END AS spent
       FROM (SELECT DISTINCT key, team FROM queue_jobs WHERE topic = 'runs') AS jobs JOIN balances ON account = key
       GROUP BY 1, resource`,
    ),
  );
  return [...Map.groupBy(rows, ({ team }) => team as string | null)].map(([team, all]) => ({
    team,
    spent: Object.fromEntries(all.map(({ resource, spent }) => [resource, Number(spent)])) as Amounts,
  }));
}
