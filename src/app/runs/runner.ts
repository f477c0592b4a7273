/**
 * The process that `sonde serve` starts for one run. It holds the keys of models and systems, and ends with the run. If
 * it is killed, the finished steps of the run are stored.
 */
import { parentWire } from '../agent/channel/child-wire.ts';
import { performRun, type RunFailure, type RunnerSetting, toRunFailure } from './perform-run.ts';

/** A request of the parent process. */
export type RunnerRequest = { readonly kind: 'cancel' };

/** A report to the parent process. */
export type RunnerReport =
  | { readonly kind: 'begun'; readonly run: string }
  | { readonly kind: 'ended' }
  | RunFailure;

async function run(setting: RunnerSetting): Promise<void> {
  const wire = parentWire();
  const cancellation = new AbortController();
  wire.onMessage((value) => {
    if ((value as RunnerRequest).kind === 'cancel') cancellation.abort();
  });
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('SIGTERM', () => cancellation.abort());
  process.once('disconnect', () => cancellation.abort());
  await performRun(setting, {
    signal: cancellation.signal,
    onRun: (id) => wire.send({ kind: 'begun', run: id } satisfies RunnerReport),
  });
  wire.send({ kind: 'ended' } satisfies RunnerReport);
}

run(JSON.parse(process.argv[2] ?? '{}') as RunnerSetting)
  .catch((thrown: unknown) => parentWire().send(toRunFailure(thrown)))
  // Leaves 50 ms for the last message to be sent.
  .finally(() => setTimeout(() => process.exit(0), 50));
