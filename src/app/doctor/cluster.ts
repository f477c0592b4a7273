/** `sonde doctor --cluster`: checks the processes that share a store. */
import { formatCount, isSondeError, messageOf } from '../../core/index.ts';
import type { ClusterState, SchemaStatus, WorkspaceStatus } from '../../store/postgres/index.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { brokenFinding, type Finding, offFinding, okFinding } from './finding.ts';

// All times are in milliseconds.
/** A job is reported if it waits longer than this although its topic is not paused. */
const maxWaitMs = 10 * 60_000;
/** A lease is reported if it expired longer ago than this and no process has taken it over. */
const abandonedAfterMs = 60_000;
/** Maximum difference of clocks. */
const maxClockSkewMs = 5_000;
/** A backup may be late by one interval plus this. */
const backupGraceMs = 60_000;

export async function examineCluster({ values }: Pick<Configuration, 'values'>): Promise<readonly Finding[]> {
  if (values.store !== 'postgres')
    return [
      offFinding(
        'cluster:store',
        'runs are kept in a local file: there is no cluster',
        'Set SONDE_STORE=postgres and SONDE_STORE_URL to use a store that workers and fronts share.',
      ),
    ];
  const { readClusterState, requireWholeView } = await import('../../store/postgres/index.ts');
  try {
    await requireWholeView({ url: storeAddress(values) });
    return checkClusterState(await readClusterState({ url: storeAddress(values) }));
  } catch (thrown) {
    const remedy = isSondeError(thrown) ? (thrown.remedy ?? '') : '';
    return [brokenFinding('cluster:store', messageOf(thrown), remedy || 'Check that its server runs.')];
  }
}

export function checkClusterState(state: ClusterState): readonly Finding[] {
  // If a schema is older than this program, only its version was read.
  const isUpToDate = ({ pending }: SchemaStatus): boolean => pending.length === 0;
  const workspaces = state.workspaces.filter(isUpToDate);
  const places = isUpToDate(state.team) ? [state.team, ...workspaces] : [];
  const jobFindings =
    places.length === 0 ? [] : [...checkWaiting(places), ...checkDeadJobs(places), ...checkLeases(places)];
  return [
    ...checkVersions(state, [state.team, ...state.workspaces]),
    checkWorkers(state),
    ...workspaces.map(checkHost),
    ...jobFindings,
    ...checkClocks(state),
    ...(places.length === 0 ? [] : [checkPartitions(places)]),
    checkFronts(state),
    ...workspaces.map(checkBackup),
  ];
}

/** The name of a workspace, from its schema. */
const workspaceName = ({ schema }: Pick<SchemaStatus, 'schema'>): string => schema.replace(/^sonde_w_/, '');
const isTeamSchema = ({ schema }: Pick<SchemaStatus, 'schema'>): boolean => schema === 'sonde';
const formatPlaceSuffix = (place: SchemaStatus): string =>
  isTeamSchema(place) ? '' : ` of ${workspaceName(place)}`;

export function formatSpan(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.round(ms / 1_000))} s`;
  if (ms < 2 * 60 * 60_000) return formatCount(Math.round(ms / 60_000), 'minute');
  return formatCount(Math.round(ms / 3_600_000), 'hour');
}

function checkVersions({ place, needs }: ClusterState, places: readonly SchemaStatus[]): readonly Finding[] {
  const name = 'cluster:store';
  const [team] = places;
  if (team?.version === 0)
    return [
      offFinding(name, `${place} is empty`, 'Nothing needs to be done: the first worker makes the tables.'),
    ];
  const olderSchemas = places.filter(({ pending }) => pending.length > 0);
  const newerSchemas = places.filter(({ version }) => version > needs);
  if (olderSchemas.length > 0)
    return [
      brokenFinding(
        name,
        `${place}: ${olderSchemas.map(({ schema, version }) => `${schema} is at version ${version}`).join(', ')}, and this Sonde needs ${needs}`,
        'Run sonde store upgrade.',
      ),
    ];
  if (newerSchemas.length > 0)
    return [
      offFinding(
        name,
        `${place} is at version ${newerSchemas[0]!.version}; this Sonde knows ${needs}`,
        'Update Sonde on this machine.',
      ),
    ];
  return [okFinding(name, `${place}, version ${needs}`)];
}

function checkWorkers({ workers: allWorkers }: ClusterState): Finding {
  const name = 'cluster:workers';
  const activeWorkers = allWorkers.filter(({ slots }) => slots > 0);
  if (activeWorkers.length === 0)
    return brokenFinding(
      name,
      allWorkers.length === 0 ? 'none is running' : `all ${allWorkers.length} are draining`,
      'Start one: sonde worker --repositories A,B.',
    );
  const slots = activeWorkers.reduce((sum, worker) => sum + worker.slots, 0);
  return okFinding(
    name,
    `${activeWorkers.length} with ${slots} slots: ${activeWorkers.map(({ id }) => id).join(', ')}`,
  );
}

function checkHost(workspace: WorkspaceStatus): Finding {
  const { host } = workspace;
  const name = `cluster:host ${workspaceName(workspace)}`;
  const remedy = `Start one where its file is: sonde worker --workspaces ${workspaceName(workspace)}.`;
  const hadHost = host !== null && host.worker !== 'restore';
  const hasJobs = workspace.topics.some((topic) => topic.waiting + topic.running > 0);
  // The workspace has a mistyped name, or is a copy that was only opened.
  if (!hadHost && !hasJobs) return offFinding(name, 'it never had a host, and nothing waits in it', remedy);
  if (host === null) return brokenFinding(name, 'it never had a host', remedy);
  const { worker, overMs } = host;
  if (overMs !== null && overMs < 0) return okFinding(name, worker);
  return brokenFinding(
    name,
    overMs === null ? `none: ${worker} has ended` : `none: ${worker} was lost ${formatSpan(overMs)} ago`,
    `${remedy} If the machine is gone: sonde world restore.`,
  );
}

function checkWaiting(places: readonly SchemaStatus[]): readonly Finding[] {
  const topics = places.flatMap((place) => place.topics.map((topic) => ({ place, ...topic })));
  const lateTopics = topics.filter(({ oldestMs, paused }) => !paused && (oldestMs ?? 0) > maxWaitMs);
  if (lateTopics.length > 0)
    return lateTopics.map(({ place, topic, waiting: count, oldestMs }) =>
      brokenFinding(
        'cluster:waiting',
        `${topic}${formatPlaceSuffix(place)}: ${count} wait, the oldest for ${formatSpan(oldestMs!)}`,
        isTeamSchema(place)
          ? 'sonde queue ls says why each waits.'
          : 'Check the log of its host (cluster:host), and that its agent starts.',
      ),
    );
  const count = topics.reduce((sum, topic) => sum + topic.waiting, 0);
  const oldest = Math.max(0, ...topics.map(({ oldestMs }) => oldestMs ?? 0));
  const pausedTopics = topics.filter((topic) => topic.paused).map(({ topic }) => topic);
  return [
    okFinding(
      'cluster:waiting',
      `${count === 0 ? 'nothing waits' : `${count} wait, the oldest for ${formatSpan(oldest)}`}${pausedTopics.length === 0 ? '' : `; paused: ${pausedTopics.join(', ')}`}`,
    ),
  ];
}

function checkDeadJobs(places: readonly SchemaStatus[]): readonly Finding[] {
  const topics = places.flatMap((place) =>
    place.topics.filter((topic) => topic.dead > 0).map((topic) => ({ place, ...topic })),
  );
  if (topics.length === 0) return [okFinding('cluster:dead', 'no job failed for good within a day')];
  return topics.map(({ place, topic, dead: count }) =>
    brokenFinding(
      'cluster:dead',
      `${topic}${formatPlaceSuffix(place)}: ${count} failed for good within a day`,
      isTeamSchema(place)
        ? 'sonde queue ls --dead says why, and sonde queue retry tries again; alerts: sonde alerts ls.'
        : 'sonde chat --thread shows the conversation; send the message again there.',
    ),
  );
}

function checkLeases(places: readonly SchemaStatus[]): readonly Finding[] {
  const abandoned = places.flatMap((place) => [
    ...((place.runs.oldestExpiredMs ?? 0) > abandonedAfterMs
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
      .filter(({ oldestExpiredMs }) => (oldestExpiredMs ?? 0) > abandonedAfterMs)
      .map(({ topic, expired, oldestExpiredMs }) => ({
        place,
        what: `${formatCount(expired, 'job')} (${topic})`,
        isOne: expired === 1,
        ms: oldestExpiredMs!,
      })),
  ]);
  const leasedRuns = places.reduce((sum, { runs }) => sum + runs.held, 0);
  if (abandoned.length === 0)
    return [
      okFinding(
        'cluster:leases',
        `${formatCount(leasedRuns, 'run')} ${leasedRuns === 1 ? 'is' : 'are'} leased, none by a process that is gone`,
      ),
    ];
  return abandoned.map(({ place, what, isOne, ms }) =>
    brokenFinding(
      'cluster:leases',
      `${what}${formatPlaceSuffix(place)} ${isOne ? 'was left by a process that is gone,' : 'were left by processes that are gone, the first'} ${formatSpan(ms)} ago`,
      isTeamSchema(place)
        ? 'Start a worker that can continue them; sonde resume RUN continues a run that was not queued.'
        : 'Start its host again: it continues them.',
    ),
  );
}

function checkClocks({ clock, workers: allWorkers }: ClusterState): readonly Finding[] {
  const name = 'cluster:clocks';
  const wrongClocks = [
    ...(Math.abs(clock.aheadMs) - clock.sureMs > maxClockSkewMs
      ? [{ who: 'this machine', ms: clock.aheadMs }]
      : []),
    ...allWorkers
      .filter(({ clockMs }) => Math.abs(clockMs ?? 0) > maxClockSkewMs)
      .map(({ id, clockMs }) => ({ who: id, ms: clockMs! })),
  ];
  if (wrongClocks.length === 0)
    return [
      okFinding(
        name,
        `within ${maxClockSkewMs / 1_000} s of the database's, here and at ${formatCount(allWorkers.length, 'worker')}`,
      ),
    ];
  return wrongClocks.map(({ who, ms }) =>
    brokenFinding(
      name,
      `${who} is ${formatSpan(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} the database`,
      "Set its clock (NTP). Leases go by the database's, but times in answers and schedules do not.",
    ),
  );
}

/** Checks the daily partitions of the tables of runs. Without them, the runs of a day are removed one by one. */
function checkPartitions(places: readonly SchemaStatus[]): Finding {
  const name = 'cluster:partitions';
  const schemas = places.flatMap(({ schema, days }) => (days === null ? [] : [{ schema, ...days }]));
  const schemasWithoutNextDay = schemas.filter(({ today, made }) => !made.some((day) => day > today));
  const lateSchemas = schemas.filter(({ late: isLate }) => isLate);
  const remedy =
    'A worker makes them at its start and every hour: check its log, and that it owns the tables.';
  if (schemasWithoutNextDay.length > 0)
    return brokenFinding(
      name,
      `${schemasWithoutNextDay.map(({ schema, made }) => `${schema}: ${made.length === 0 ? 'no day has tables' : `none after ${made.at(-1)}`}`).join('; ')}`,
      remedy,
    );
  if (lateSchemas.length > 0)
    return brokenFinding(
      name,
      `${lateSchemas.map(({ schema }) => schema).join(', ')}: runs wrote on a day that has no tables; they are removed one by one`,
      `${remedy} Also check the clocks (cluster:clocks).`,
    );
  const days = schemas.flatMap(({ made }) => made).toSorted();
  return okFinding(
    name,
    days.length === 0
      ? 'none is needed yet'
      : `${formatCount(new Set(days).size, 'day')}, ${days[0]} to ${days.at(-1)}`,
  );
}

/** Checks whether row policies of the database hide the rows of other teams from fronts. */
function checkFronts({ fronts: { roles, teams } }: ClusterState): Finding {
  const name = 'cluster:fronts';
  const unrestricted = roles.filter(({ bypass }) => bypass !== null);
  if (unrestricted.length === 0)
    return okFinding(
      name,
      roles.length === 0
        ? 'none is connected'
        : `connected as ${roles.map(({ role }) => role).join(', ')}, who see only rows of the requesting team`,
    );
  const found = `connected as ${unrestricted.map(({ role, bypass }) => `${role} (${bypass})`).join(', ')}: the database hides no team's rows from them`;
  const remedy =
    "Make a role (CREATE ROLE sonde_front LOGIN PASSWORD '…'), give it access (sonde store upgrade --front sonde_front), and set SONDE_STORE_URL of each front to an address with it.";
  return teams > 1 ? brokenFinding(name, found, remedy) : offFinding(name, found, remedy);
}

function checkBackup(workspace: WorkspaceStatus): Finding {
  const { backup } = workspace;
  const name = `cluster:backup ${workspaceName(workspace)}`;
  if (backup === null)
    return offFinding(
      name,
      'none: if its machine is lost, all of its pages are lost',
      'Set backup_folder where its host runs.',
    );
  const { file, machine, ageMs, every } = backup;
  const found = `the newest is ${formatSpan(ageMs)} old: later changes would be lost with ${machine}; ${file}`;
  return ageMs > 2 * every + backupGraceMs
    ? brokenFinding(
        name,
        `${found}; one is due every ${formatSpan(every)}`,
        'Check the log of its host, and the folder.',
      )
    : okFinding(name, found);
}
