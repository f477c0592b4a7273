/**
 * The process of one run, under `sonde serve`. It holds the keys of models and systems, and ends with its run. Whatever
 * happens to the process, the steps of the run are stored.
 */
import { parentWire } from '../agent/channel/child-wire.ts';
import { failureOf, performRun, type RunFailure, type RunnerSetting } from './perform-run.ts';

/** A request of the parent process. */
export type RunnerRequest = { readonly kind: 'cancel' };

/** A report to the parent process. */
export type RunnerSays =
  | { readonly kind: 'begun'; readonly run: string }
  | { readonly kind: 'ended' }
  | RunFailure;

async function run(setting: RunnerSetting): Promise<void> {
  const wire = parentWire();
  const stop = new AbortController();
  wire.onMessage((value) => {
    if ((value as RunnerRequest).kind === 'cancel') stop.abort();
  });
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('SIGTERM', () => stop.abort());
  process.once('disconnect', () => stop.abort());
  await performRun(setting, {
    signal: stop.signal,
    onRun: (id) => wire.send({ kind: 'begun', run: id } satisfies RunnerSays),
  });
  wire.send({ kind: 'ended' } satisfies RunnerSays);
}

run(JSON.parse(process.argv[2] ?? '{}') as RunnerSetting)
  .catch((thrown: unknown) => parentWire().send(failureOf(thrown)))
  // Time for the message to be sent.
  .finally(() => setTimeout(() => process.exit(0), 50));
