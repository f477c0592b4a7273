/**
 * A process under `sonde worker` that performs runs one after another, so that it loads the code of Sonde once. It has
 * the keys of models and systems. It exits when its worker does; another worker then resumes the run.
 */
import { parentWire } from '../agent/channel/child-wire.ts';
import { performRun, type RunFailure, type RunnerSetting, toRunFailure } from '../runs/perform-run.ts';

/** A request of the worker. `end` comes between two runs. */
export type RunProcessRequest =
  | { readonly kind: 'run'; readonly setting: RunnerSetting }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'end' };

/** A report to the worker. */
export type RunProcessReport =
  | { readonly kind: 'taken' }
  /** `memory`: the resident memory of the process. Bytes. */
  | { readonly kind: 'ended'; readonly memory: number }
  | RunFailure;

if (process.connected) {
  const wire = parentWire();
  const report = (value: RunProcessReport): void => wire.send(value);
  let stop: AbortController | undefined;

  async function runOnce(setting: RunnerSetting): Promise<void> {
    report({ kind: 'taken' });
    stop = new AbortController();
    try {
      await performRun(setting, { signal: stop.signal });
      report({ kind: 'ended', memory: process.memoryUsage.rss() });
    } catch (thrown) {
      report(toRunFailure(thrown));
    } finally {
      stop = undefined;
    }
  }

  wire.onMessage((value) => {
    const request = value as RunProcessRequest;
    if (request.kind === 'run') void runOnce(request.setting);
    if (request.kind === 'cancel') stop?.abort();
    if (request.kind === 'end') process.exit(0);
  });
  // The worker decides when its processes end.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => stop?.abort());
  process.once('disconnect', () => process.exit(1));
}
