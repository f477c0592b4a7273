/** Opens the worker that investigates waiting groups, with the store of runs and the configured systems. */

import { createRunId, systemClock } from '../../core/index.ts';
import type { Queue, Store } from '../../store/index.ts';
import { cutAlert, incidentRun } from '../../tasks/incident/index.ts';
import type { Configuration } from '../config/index.ts';
import { openSystems, toLimits } from '../kinds/incident.ts';
import { openRunModels } from '../runs/run-models.ts';
import { type AlertWorker, type AlertWorkerOptions, openAlertWorker } from './alert-worker.ts';
import { isKnown } from './open-alert-database.ts';

export interface InvestigationsOptions {
  readonly configuration: Configuration;
  readonly store: Store;
  /** The queue of the groups. Its owner closes it. */
  readonly queue: Queue;
  /** A folder with a recorded incident, instead of the configured systems. */
  readonly replay: string | null;
  readonly tell: (line: string) => void;
  /** Completes a run in another process, as `AlertWorkerOptions.work`; absent: in this one. */
  readonly runElsewhere?: AlertWorkerOptions['runToEnd'];
  /** See `AlertWorkerOptions`. */
  readonly renewMs?: number;
}

/** The wait before investigations start, so that a storm of alerts is stored first. Milliseconds. */
const settleMs = 1_000;

export interface Investigations extends Pick<AlertWorker, 'wake' | 'idle'> {
  /** See `AlertWorker`. */
  close(drainMs?: number): Promise<void>;
}

export async function openInvestigations({
  configuration,
  store,
  queue,
  replay,
  tell,
  runElsewhere: perform,
  renewMs,
}: InvestigationsOptions): Promise<Investigations> {
  const watch = { onNote: (note: string) => tell(`note: ${note}`) };
  const { models } = await openRunModels(configuration, watch, {});
  const systems = await openSystems(configuration, replay, watch);
  const { ports, signals } = systems;
  const alertWorker = openAlertWorker({
    queue,
    workers: configuration.values.alerts_workers,
    settleMs,
    tell,
    ...(renewMs !== undefined && { renewMs }),
    createRunId: () => createRunId(systemClock.now()),
    progress: async (run) => ((await isKnown(store, run)) ? (await store.events(run)).length : 0),
    async storeRun({ run, sent, before }) {
      // The run may exist: its process died, or it failed and is retried.
      if (await isKnown(store, run)) return;
      await incidentRun.create(
        {
          // An older version may have stored more than is accepted today.
          alert: cutAlert(sent),
          root: replay ?? process.cwd(),
          limits: toLimits(configuration),
          reader: configuration.values.reader === 'on',
          storeArtifacts: configuration.values.store_artifacts,
          id: run,
          extra: { replay, ...(before !== null && { before }) },
          ...(signals.now !== null && { now: signals.now }),
        },
        { store, models },
      );
    },
    async runToEnd(run, options) {
      const exitReason = (await perform?.(run, options)) ?? null;
      if (exitReason !== null || (perform !== undefined && options.signal.aborted)) return exitReason;
      const { incident } = await (perform === undefined
        ? incidentRun.resume(run, { ...ports, store, models, signal: options.signal })
        : incidentRun.readResult(run, store));
      tell(`${run} ${incident.verdict}: ${incident.root_cause.slice(0, 160)}`);
      return null;
    },
  });
  return {
    wake: alertWorker.wake,
    idle: alertWorker.idle,
    async close(drainMs) {
      await alertWorker.close(drainMs);
      await systems.close();
    },
  };
}
