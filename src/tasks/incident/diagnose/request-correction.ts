/** Tells the model once, in the dialogue, which parts of its conclusion were refused, so that it may correct them. */
import { appendRemedy, quoteMaterial, type UnprovenClaim } from '../../../core/index.ts';
import { addEntries, callsOf, type Result, requestTurnInWindow } from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import type { RunContext } from '../run-context.ts';
import type { IncidentState } from '../state.ts';
import { concludeTool, readConclusion, type WrittenDiagnosis } from './conclusion.ts';

export type CorrectionResult =
  | { readonly kind: 'corrected'; readonly written: WrittenDiagnosis }
  /** The first conclusion is used unchanged. */
  | { readonly kind: 'not_corrected'; readonly notes: readonly string[] }
  | { readonly kind: 'cancelled' };

export interface Refusal {
  /** Why the verdict is refused; null if it is accepted. */
  readonly objection: string | null;
  readonly doubted: readonly UnprovenClaim[];
}

export async function requestCorrection(
  state: IncidentState,
  context: RunContext,
  refusal: Refusal,
): Promise<CorrectionResult> {
  const keepFirst = (...notes: readonly string[]): CorrectionResult => ({ kind: 'not_corrected', notes });
  const { talk, concluded } = state;
  if (talk === null || concluded?.reply == null) return keepFirst();
  const results = callsOf(concluded.reply).map(
    ({ id, name }): Result => ({
      call: id,
      name,
      ok: false,
      text:
        id === concluded.call
          ? formatRefusal(concluded.written, refusal)
          : 'Not asked: the investigation had ended.',
    }),
  );
  const dialogue = addEntries(talk.dialogue, concluded.reply, { kind: 'results', results });
  const key = 'diagnose/model';
  const number = context.limits.iterations + 1;
  const turnResult = await requestTurnInWindow(
    context.step,
    key,
    context.models.planner,
    dialogue,
    talk.cut,
    {
      ...turnOptions(context, { number, name: 'incident', key, final: true }),
      must: concludeTool.name,
    },
  );
  context.pool.recordTime();
  switch (turnResult.kind) {
    case 'cancelled':
      return turnResult;
    case 'exhausted':
      return keepFirst();
    case 'failed':
      if (context.signal.aborted) return { kind: 'cancelled' };
      return keepFirst(
        `The model failed when it was to mend its conclusion: ${appendRemedy(turnResult.failure)}`,
      );
    case 'replied': {
      const call = callsOf({ ...turnResult.reply, kind: 'reply' }).find(
        ({ name }) => name === concludeTool.name,
      );
      const read = call === undefined ? null : readConclusion(call.input);
      return read?.kind === 'read' ? { kind: 'corrected', written: read.written } : keepFirst();
    }
  }
}

function formatRefusal({ verdict }: WrittenDiagnosis, { objection, doubted }: Refusal): string {
  const lines = [
    ...(objection === null ? [] : [`- the verdict ${verdict}: ${objection}`]),
    ...doubted.map(({ text, reason }) => `- "${text}": ${reason}`),
  ];
  const block = quoteMaterial(lines.join('\n'), { source: 'what did not pass, and why', trust: 'derived' });
  return `Not all of it stands.\n${block}\nCall conclude once more, whole: mend what did not pass, or leave it out. What passed may stay as it is.`;
}
