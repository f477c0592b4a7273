/**
 * Metrics of what the processes of a team share: queues, leases, backups, spending, and the response time of the store.
 * They are read at most every few seconds.
 */
import type { Meter } from '@opentelemetry/api';
import type { ClusterFigures } from '../../store/postgres/index.ts';
import { requestTopic } from '../agent/requests/request-rows.ts';
import { groupTopic } from '../alerts/groups.ts';
import { runTopic } from '../worker/queued-run.ts';

/** Reads the figures that this process may show. */
export type ReadFigures = () => Promise<ClusterFigures>;

/** How long figures are reused. Milliseconds. */
const freshMs = 5_000;

/** Registers the metrics. They have no values while the store does not answer. */
export function clusterMeasures(readFigures: ReadFigures): (meter: Meter) => void {
  let lastReading: { readonly at: number; readonly figures: Promise<ClusterFigures | null> } | undefined;
  function readNow(): Promise<ClusterFigures | null> {
    if (lastReading === undefined || performance.now() - lastReading.at > freshMs)
      lastReading = { at: performance.now(), figures: readFigures().catch(() => null) };
    return lastReading.figures;
  }

  return (meter) => {
    function gauge(
      name: string,
      description: string,
      rows: (figures: ClusterFigures) => readonly (readonly [number, Readonly<Record<string, string>>?])[],
    ): void {
      meter.createObservableGauge(name, { description }).addCallback(async (result) => {
        const figures = await readNow();
        for (const [value, labels] of figures === null ? [] : rows(figures)) result.observe(value, labels);
      });
    }
    gauge('sonde_store_seconds', 'Time that the store took to answer one small question.', ({ answerMs }) => [
      [answerMs / 1_000],
    ]);
    gauge('sonde_queue_jobs', 'Jobs by topic and state; dead: failed for good within a day.', (figures) =>
      allTopics(figures).flatMap(({ topic, waiting, running, dead }) => [
        [waiting, { topic, state: 'waiting' }],
        [running, { topic, state: 'running' }],
        [dead, { topic, state: 'dead' }],
      ]),
    );
    gauge('sonde_queue_oldest_seconds', 'How long the oldest job waits that could be taken.', (figures) =>
      allTopics(figures).map(({ topic, oldestMs }) => [(oldestMs ?? 0) / 1_000, { topic }]),
    );
    gauge('sonde_leases', 'Runs that are held, and those whose holder is gone.', ({ runs }) => [
      [runs.held - runs.expired, { state: 'held' }],
      [runs.expired, { state: 'expired' }],
    ]);
    gauge('sonde_workers', 'Workers that take work, and their slots.', ({ workers }) =>
      workers === null
        ? []
        : [
            [workers.count, { of: 'workers' }],
            [workers.slots, { of: 'slots' }],
          ],
    );
    gauge('sonde_hosts', 'Workspaces with a host, and without.', ({ hosts }) => [
      [hosts.there, { state: 'there' }],
      [hosts.missing, { state: 'missing' }],
    ]);
    gauge(
      'sonde_backup_seconds',
      'Age of the newest copy of the workspace that has the oldest.',
      ({ backupMs }) => (backupMs === null ? [] : [[backupMs / 1_000]]),
    );
    for (const [name, resource, label] of spending)
      meter
        .createObservableCounter(name, { description: `${label} that queued runs of a team spent.` })
        .addCallback(async (result) => {
          for (const { team, spent } of (await readNow())?.spending ?? [])
            result.observe(spent[resource] ?? 0, team === null ? {} : { team });
        });
  };
}

/** Adds topics without jobs, with figures of 0, since a missing figure would mean that it is unknown. */
function allTopics({ topics }: Pick<ClusterFigures, 'topics'>): ClusterFigures['topics'] {
  const emptyFigures = { waiting: 0, running: 0, dead: 0, oldestMs: null };
  return [runTopic, groupTopic, requestTopic].map(
    (topic) => topics.find((topicFigures) => topicFigures.topic === topic) ?? { topic, ...emptyFigures },
  );
}

const spending = [
  ['sonde_spent_usd', 'usd', 'Dollars'],
  ['sonde_spent_tokens', 'tokens', 'Tokens'],
  ['sonde_spent_steps', 'steps', 'Steps'],
] as const;
