/**
 * The process of one run, under `sonde serve` and `sonde worker`. It holds the keys of models and systems, and ends
 * with its run. Whatever happens to the process, the steps of the run are stored.
 */
import { isSondeError, messageOf } from '../../core/index.ts';
import { parentWire } from '../agent/child-wire.ts';
import { environmentRedactor, processEnvironment } from '../config/index.ts';
import type { KindRequest } from './run-kind.ts';
import type { Watch } from './watch.ts';

export type RunnerSetting = (
  | { readonly shape: string; readonly request: Omit<KindRequest, keyof Watch> }
  | { readonly resume: string; readonly root?: string }
) & {
  /** The process ends at once with its parent, since another one resumes the run. Absent: it ends the run first. */
  readonly diesWithHost?: true;
};

/** A request of the parent process. */
export type RunnerRequest = { readonly kind: 'cancel' };

/** A report to the parent process. */
export type RunnerSays =
  | { readonly kind: 'begun'; readonly run: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly remedy: string };

async function run(setting: RunnerSetting): Promise<void> {
  const wire = parentWire();
  const stop = new AbortController();
  wire.onMessage((value) => {
    if ((value as RunnerRequest).kind === 'cancel') stop.abort();
  });
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('SIGTERM', () => stop.abort());
  process.once('disconnect', () => (setting.diesWithHost ? process.exit(1) : stop.abort()));
  const watch: Watch = {
    signal: stop.signal,
    onRun: (id) => wire.send({ kind: 'begun', run: id } satisfies RunnerSays),
  };
  if ('resume' in setting) {
    const { resume } = await import('./resume.ts');
    const { resume: run, root } = setting;
    await resume({ run, ...(root !== undefined && { root }), ...watch });
  } else {
    const { findKind } = await import('../kinds/kind-of.ts');
    await findKind(setting.shape)!.start({ ...setting.request, ...watch });
  }
  wire.send({ kind: 'ended' } satisfies RunnerSays);
}

const redact = environmentRedactor(processEnvironment());

run(JSON.parse(process.argv[2] ?? '{}') as RunnerSetting)
  .catch((thrown: unknown) => {
    const known = isSondeError(thrown);
    const says: RunnerSays = {
      kind: 'failed',
      code: known ? thrown.code : 'internal',
      message: redact(messageOf(thrown)),
      remedy: redact(known ? (thrown.remedy ?? '') : ''),
    };
    parentWire().send(says);
  })
  // Time for the message to be sent.
  .finally(() => setTimeout(() => process.exit(0), 50));
