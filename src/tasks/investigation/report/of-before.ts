/**
 * Replays runs of version 0.1, in which an investigation was no dialogue: their cells can be run again, but no turn can
 * be added.
 */
import { SondeError } from '../../../core/index.ts';
import { compareCell } from '../cell/cell.ts';
import type { Limits } from '../limits.ts';
import type { StageLoop } from '../loop.ts';
import { type CellRecord, plusGains } from '../state.ts';
import type { FinishedInvestigation } from './report.ts';

/** The record of a finished investigation of version 0.1. */
export interface Version01Run {
  readonly recall: (key: string) => unknown;
  readonly kept: FinishedInvestigation;
}

export function isVersion01({ limits }: { readonly limits: Partial<Limits> }): boolean {
  return limits.reply_tokens === undefined;
}

/** An unfinished run of that version can't be resumed. */
export function refuseOlderRun(run: string): SondeError {
  return new SondeError('run_state', {
    message: `${run} was begun by version 0.1, whose turns were recorded in another way`,
    remedy: 'Ask the question again.',
  });
}

/** Runs every recorded cell again, in order, with its nested investigations. */
export const runRecordedCells =
  ({ recall }: Version01Run): StageLoop =>
  async (state, place, context, bench) => {
    let current = state;
    for (let turn = 0; turn === 0 || recall(`${place.key}/t${turn}`) !== undefined; turn += 1)
      for (let n = 1; ; n += 1) {
        const label = `${turn}.${n}`;
        const key = `${place.key}/t${label}`;
        const cellRecord = recall(`${key}/done`) as CellRecord | undefined;
        if (cellRecord === undefined) break;
        const order = { key, label, step: place.step ?? turn, code: cellRecord.code };
        await compareCell(order, cellRecord, current, context, bench);
        const gains = plusGains(current.gains, cellRecord.gains);
        current = { ...current, cells: [...current.cells, cellRecord], gains };
      }
    return current;
  };
