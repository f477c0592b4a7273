/** Starts or resumes a run in a process that serves only this run. */
import { isSondeError, messageOf } from '../../core/index.ts';
import { environmentRedactor, processEnvironment } from '../config/index.ts';
import type { KindRequest } from './run-kind.ts';
import type { Watch } from './watch.ts';

export type RunnerSetting =
  | { readonly shape: string; readonly request: Omit<KindRequest, keyof Watch> }
  | { readonly resume: string; readonly root?: string };

/** The report about a run that threw an error. */
export interface RunFailure {
  readonly kind: 'failed';
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

export async function performRun(setting: RunnerSetting, watch: Watch): Promise<void> {
  if ('resume' in setting) {
    const { resume } = await import('./resume.ts');
    const { resume: run, root } = setting;
    await resume({ run, ...(root !== undefined && { root }), ...watch });
  } else {
    const { findKind } = await import('../kinds/find-kind.ts');
    await findKind(setting.shape)!.start({ ...setting.request, ...watch });
  }
}

/** Keys of this process are removed from the messages. */
export function toRunFailure(thrown: unknown): RunFailure {
  const redact = environmentRedactor(processEnvironment());
  const isKnown = isSondeError(thrown);
  return {
    kind: 'failed',
    code: isKnown ? thrown.code : 'internal',
    message: redact(messageOf(thrown)),
    remedy: redact(isKnown ? (thrown.remedy ?? '') : ''),
  };
}
