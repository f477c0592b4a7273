/** `sonde doctor --cluster`: checks the processes that share a store. */
import { formatCount, isSondeError, messageOf } from '../../core/index.ts';
import type { ClusterState, SchemaStatus, WorkspaceStatus } from '../../store/postgres/index.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { brokenFinding, type Finding, off, ok } from './finding.ts';

// All in milliseconds.
/** A job that waits longer than this, although it could run, is reported. */
const maxWaitMs = 10 * 60_000;
/** A lease that expired longer ago than this was taken over by no process. */
const abandonedMs = 60_000;
/** Maximum difference of clocks. */
const maxClockMs = 5_000;
/** A backup may be late by one interval plus this. */
const lateMs = 60_000;

export async function examineCluster({ values }: Pick<Configuration, 'values'>): Promise<readonly Finding[]> {
  if (values.store !== 'postgres')
    return [
      off(
        'cluster:store',
        'runs are kept in a local file: there is no cluster',
        'Set SONDE_STORE=postgres and SONDE_STORE_URL to use a store that workers and fronts share.',
      ),
    ];
  const { readClusterState, requireWholeView } = await import('../../store/postgres/index.ts');
  try {
    await requireWholeView({ url: storeAddress(values) });
    return findingsOf(await readClusterState({ url: storeAddress(values) }));
  } catch (thrown) {
    const remedy = isSondeError(thrown) ? (thrown.remedy ?? '') : '';
    return [brokenFinding('cluster:store', messageOf(thrown), remedy || 'Check that its server runs.')];
  }
}

export function findingsOf(state: ClusterState): readonly Finding[] {
  // Of a schema at an older version nothing else was read.
  const isRead = ({ pending }: SchemaStatus): boolean => pending.length === 0;
  const workspaces = state.workspaces.filter(isRead);
  const places = isRead(state.team) ? [state.team, ...workspaces] : [];
  const jobFindings = places.length === 0 ? [] : [...waiting(places), ...dead(places), ...leases(places)];
  return [
    ...versions(state, [state.team, ...state.workspaces]),
    workers(state),
    ...workspaces.map(hostOf),
    ...jobFindings,
    ...clocks(state),
    ...(places.length === 0 ? [] : [partitions(places)]),
    fronts(state),
    ...workspaces.map(backupOf),
  ];
}

/** The name of a workspace, from its schema. */
const nameOf = ({ schema }: Pick<SchemaStatus, 'schema'>): string => schema.replace(/^sonde_w_/, '');
const isTeam = ({ schema }: Pick<SchemaStatus, 'schema'>): boolean => schema === 'sonde';
const inPlace = (place: SchemaStatus): string => (isTeam(place) ? '' : ` of ${nameOf(place)}`);

export function span(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.round(ms / 1_000))} s`;
  if (ms < 2 * 60 * 60_000) return formatCount(Math.round(ms / 60_000), 'minute');
  return formatCount(Math.round(ms / 3_600_000), 'hour');
}

function versions({ place, needs }: ClusterState, places: readonly SchemaStatus[]): readonly Finding[] {
  const name = 'cluster:store';
  const [team] = places;
  if (team?.version === 0)
    return [off(name, `${place} is empty`, 'Nothing needs to be done: the first worker makes the tables.')];
  const older = places.filter(({ pending }) => pending.length > 0);
  const newer = places.filter(({ version }) => version > needs);
  if (older.length > 0)
    return [
      brokenFinding(
        name,
        `${place}: ${older.map(({ schema, version }) => `${schema} is at version ${version}`).join(', ')}, and this Sonde needs ${needs}`,
        'Run sonde store upgrade.',
      ),
    ];
  if (newer.length > 0)
    return [
      off(
        name,
        `${place} is at version ${newer[0]!.version}; this Sonde knows ${needs}`,
        'Update Sonde on this machine.',
      ),
    ];
  return [ok(name, `${place}, version ${needs}`)];
}

function workers({ workers: present }: ClusterState): Finding {
  const name = 'cluster:workers';
  const able = present.filter(({ slots }) => slots > 0);
  if (able.length === 0)
    return brokenFinding(
      name,
      present.length === 0 ? 'none is running' : `all ${present.length} are draining`,
      'Start one: sonde worker --repositories A,B.',
    );
  const slots = able.reduce((sum, worker) => sum + worker.slots, 0);
  return ok(name, `${able.length} with ${slots} slots: ${able.map(({ id }) => id).join(', ')}`);
}

function hostOf(workspace: WorkspaceStatus): Finding {
  const { host } = workspace;
  const name = `cluster:host ${nameOf(workspace)}`;
  const remedy = `Start one where its file is: sonde worker --workspaces ${nameOf(workspace)}.`;
  const hadHost = host !== null && host.worker !== 'restore';
  const waits = workspace.topics.some((topic) => topic.waiting + topic.running > 0);
  // A mistyped name, or a copy that was only looked at.
  if (!hadHost && !waits) return off(name, 'it never had a host, and nothing waits in it', remedy);
  if (host === null) return brokenFinding(name, 'it never had a host', remedy);
  const { worker, overMs } = host;
  if (overMs !== null && overMs < 0) return ok(name, worker);
  return brokenFinding(
    name,
    overMs === null ? `none: ${worker} has ended` : `none: ${worker} was lost ${span(overMs)} ago`,
    `${remedy} If the machine is gone: sonde world restore.`,
  );
}

function waiting(places: readonly SchemaStatus[]): readonly Finding[] {
  const all = places.flatMap((place) => place.topics.map((topic) => ({ place, ...topic })));
  const late = all.filter(({ oldestMs, paused }) => !paused && (oldestMs ?? 0) > maxWaitMs);
  if (late.length > 0)
    return late.map(({ place, topic, waiting: count, oldestMs }) =>
      brokenFinding(
        'cluster:waiting',
        `${topic}${inPlace(place)}: ${count} wait, the oldest for ${span(oldestMs!)}`,
        isTeam(place)
          ? 'sonde queue ls says why each waits.'
          : 'Check the log of its host (cluster:host), and that its agent starts.',
      ),
    );
  const count = all.reduce((sum, topic) => sum + topic.waiting, 0);
  const oldest = Math.max(0, ...all.map(({ oldestMs }) => oldestMs ?? 0));
  const paused = all.filter((topic) => topic.paused).map(({ topic }) => topic);
  return [
    ok(
      'cluster:waiting',
      `${count === 0 ? 'nothing waits' : `${count} wait, the oldest for ${span(oldest)}`}${paused.length === 0 ? '' : `; paused: ${paused.join(', ')}`}`,
    ),
  ];
}

function dead(places: readonly SchemaStatus[]): readonly Finding[] {
  const all = places.flatMap((place) =>
    place.topics.filter((topic) => topic.dead > 0).map((topic) => ({ place, ...topic })),
  );
  if (all.length === 0) return [ok('cluster:dead', 'no job failed for good within a day')];
  return all.map(({ place, topic, dead: count }) =>
    brokenFinding(
      'cluster:dead',
      `${topic}${inPlace(place)}: ${count} failed for good within a day`,
      isTeam(place)
        ? 'sonde queue ls --dead says why, and sonde queue retry tries again; alerts: sonde alerts ls.'
        : 'sonde chat --thread shows the conversation; send the message again there.',
    ),
  );
}

function leases(places: readonly SchemaStatus[]): readonly Finding[] {
  const left = places.flatMap((place) => [
    ...((place.runs.oldestExpiredMs ?? 0) > abandonedMs
      ? [
          {
            place,
            what: formatCount(place.runs.expired, 'run'),
            isOne: place.runs.expired === 1,
            ms: place.runs.oldestExpiredMs!,
          },
        ]
      : []),
    ...place.topics
      .filter(({ oldestExpiredMs }) => (oldestExpiredMs ?? 0) > abandonedMs)
      .map(({ topic, expired, oldestExpiredMs }) => ({
        place,
        what: `${formatCount(expired, 'job')} (${topic})`,
        isOne: expired === 1,
        ms: oldestExpiredMs!,
      })),
  ]);
  const held = places.reduce((sum, { runs }) => sum + runs.held, 0);
  if (left.length === 0)
    return [
      ok(
        'cluster:leases',
        `${formatCount(held, 'run')} ${held === 1 ? 'is' : 'are'} leased, none by a process that is gone`,
      ),
    ];
  return left.map(({ place, what, isOne, ms }) =>
    brokenFinding(
      'cluster:leases',
      `${what}${inPlace(place)} ${isOne ? 'was left by a process that is gone,' : 'were left by processes that are gone, the first'} ${span(ms)} ago`,
      isTeam(place)
        ? 'Start a worker that can continue them; sonde resume RUN continues a run that was not queued.'
        : 'Start its host again: it continues them.',
    ),
  );
}

function clocks({ clock, workers: present }: ClusterState): readonly Finding[] {
  const name = 'cluster:clocks';
  const wrong = [
    ...(Math.abs(clock.aheadMs) - clock.sureMs > maxClockMs
      ? [{ who: 'this machine', ms: clock.aheadMs }]
      : []),
    ...present
      .filter(({ clockMs }) => Math.abs(clockMs ?? 0) > maxClockMs)
      .map(({ id, clockMs }) => ({ who: id, ms: clockMs! })),
  ];
  if (wrong.length === 0)
    return [
      ok(
        name,
        `within ${maxClockMs / 1_000} s of the database's, here and at ${formatCount(present.length, 'worker')}`,
      ),
    ];
  return wrong.map(({ who, ms }) =>
    brokenFinding(
      name,
      `${who} is ${span(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} the database`,
      "Set its clock (NTP). Leases go by the database's, but times in answers and schedules do not.",
    ),
  );
}

/** Checks the daily tables of runs. Without them, runs of a day can only be removed one by one. */
function partitions(places: readonly SchemaStatus[]): Finding {
  const name = 'cluster:partitions';
  const all = places.flatMap(({ schema, days }) => (days === null ? [] : [{ schema, ...days }]));
  const missing = all.filter(({ today, made }) => !made.some((day) => day > today));
  const late = all.filter(({ late: isLate }) => isLate);
  const remedy =
    'A worker makes them at its start and every hour: check its log, and that it owns the tables.';
  if (missing.length > 0)
    return brokenFinding(
      name,
      `${missing.map(({ schema, made }) => `${schema}: ${made.length === 0 ? 'no day has tables' : `none after ${made.at(-1)}`}`).join('; ')}`,
      remedy,
    );
  if (late.length > 0)
    return brokenFinding(
      name,
      `${late.map(({ schema }) => schema).join(', ')}: runs wrote on a day that has no tables; they are removed one by one`,
      `${remedy} Also check the clocks (cluster:clocks).`,
    );
  const days = all.flatMap(({ made }) => made).toSorted();
  return ok(
    name,
    days.length === 0
      ? 'none is needed yet'
      : `${formatCount(new Set(days).size, 'day')}, ${days[0]} to ${days.at(-1)}`,
  );
}

/** Whether the database itself hides the rows of other teams from fronts, by row policies. */
function fronts({ fronts: { roles, teams } }: ClusterState): Finding {
  const name = 'cluster:fronts';
  const unrestricted = roles.filter(({ bypass }) => bypass !== null);
  if (unrestricted.length === 0)
    return ok(
      name,
      roles.length === 0
        ? 'none is connected'
        : `connected as ${roles.map(({ role }) => role).join(', ')}, who see only rows of the requesting team`,
    );
  const found = `connected as ${unrestricted.map(({ role, bypass }) => `${role} (${bypass})`).join(', ')}: the database hides no team's rows from them`;
  const remedy =
    "Make a role (CREATE ROLE sonde_front LOGIN PASSWORD '…'), give it access (sonde store upgrade --front sonde_front), and set SONDE_STORE_URL of each front to an address with it.";
  return teams > 1 ? brokenFinding(name, found, remedy) : off(name, found, remedy);
}

function backupOf(workspace: WorkspaceStatus): Finding {
  const { backup } = workspace;
  const name = `cluster:backup ${nameOf(workspace)}`;
  if (backup === null)
    return off(
      name,
      'none: if its machine is lost, all of its pages are lost',
      'Set backup_folder where its host runs.',
    );
  const { file, machine, ageMs, every } = backup;
  const found = `the newest is ${span(ageMs)} old: later changes would be lost with ${machine}; ${file}`;
  return ageMs > 2 * every + lateMs
    ? brokenFinding(
        name,
        `${found}; one is due every ${span(every)}`,
        'Check the log of its host, and the folder.',
      )
    : ok(name, found);
}
