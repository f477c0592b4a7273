/**
 * Runs the cells of an investigation again, in order, in a fresh session: helpers return their recorded answers, and no
 * model is asked again. The new call of FINAL is compared with the log, not read from it.
 */
import type { CellResult, Session, Value } from '../../../sandbox/index.ts';
import { seatsOf } from '../cell/seats.ts';
import { type Order, openCell, rolledBack, seedOf } from '../cell/workbench.ts';
import { plainValue } from '../helpers/helper.ts';
import { type OpenCell, operationsOf } from '../helpers/operations.ts';
import { cellCalls, outputBytes } from '../limits.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type CellRecord, noGains } from '../state.ts';

const mebibyte = 1024 * 1024;
/** Tracing data flow needs more memory than the cells alone. */
const memoryBytes = 512 * mebibyte;
const valueBytes = 4 * mebibyte;
/** Maximum time per cell, if the run has that much left. Milliseconds. */
const maxCellMs = 60_000;
/** The maximum of fuel for a cell, as a multiple of its first run; and the minimum. */
const tracingFuel = { times: 120, min: 20_000_000_000 } as const;

/** The result of running a cell again, and whether and with what answer it called FINAL. */
export interface SecondRun {
  readonly result: CellResult;
  /** Null if FINAL was not called, or called with a value that was not recorded. */
  readonly answer: unknown;
  readonly isFinal: boolean;
}

export interface SecondSession {
  /** Runs the next cell. `code` replaces the recorded code. */
  cell(record: CellRecord, code?: string): Promise<SecondRun>;
  /** Runs code of this program, which calls no helper. */
  plain(code: string): Promise<CellResult>;
}

/** Does the work in a fresh session; null if the session could not be opened or was lost. */
export async function withSecondSession<Found>(
  place: TreeNode,
  { onCell: _, ...callerContext }: RunContext,
  work: (session: SecondSession) => Promise<Found>,
): Promise<Found | null> {
  const seats = seatsOf(callerContext.sandbox);
  await seats.take(place.depth > 0);
  const current: { cell: OpenCell | null; said: unknown } = { cell: null, said: undefined };
  let session: Session | null = null;
  try {
    const operations = operationsOf({
      context: callerContext,
      place,
      runNested: () => Promise.reject(new Error('a cell that is run again opens no investigation')),
      cell: () => current.cell!,
    });
    const { final } = operations;
    session = await callerContext.sandbox.open({
      operations: {
        ...operations,
        final(given, context) {
          current.said = plainValue(given);
          return final!(given, context);
        },
      },
      seed: seedOf(callerContext, place),
      limits: { memory_bytes: memoryBytes },
    });
    const timeLeft = () => place.pool.timeLeft({ final: true });
    return await work(secondSession(session, current, timeLeft, callerContext));
  } catch (thrown) {
    callerContext.failure.check();
    if (isSessionLost(thrown)) return null;
    throw thrown;
  } finally {
    await session?.close();
    seats.leave();
  }
}

const isSessionLost = (thrown: unknown): boolean =>
  ['sandbox_ended', 'bad_argument'].includes((thrown as { readonly code?: string }).code ?? '');

function secondSession(
  session: Session,
  current: { cell: OpenCell | null; said: unknown },
  timeLeft: () => number,
  { failure, signal }: Pick<RunContext, 'failure' | 'signal'>,
): SecondSession {
  const execute = (code: string, fuel: number, order: Pick<Order, 'clock'> | null): Promise<CellResult> =>
    session.execute(code, {
      limits: {
        ...{
          fuel,
          wall_ms: Math.max(1, Math.floor(Math.min(maxCellMs, timeLeft()))),
          output_bytes: outputBytes,
          calls: cellCalls,
        },
        ...{ value_bytes: valueBytes, code_bytes: 4 * mebibyte },
      },
      signal: AbortSignal.any([failure.signal, signal]),
      ...(order?.clock != null && { clock: order.clock }),
    });
  return {
    async cell({ key, code, granted, fuel, clock, untimely }, replacementCode) {
      const order: Order = {
        ...{ key, label: '', step: 0, code, granted, clock },
        ...{ last: true, final: true, before: noGains },
      };
      const cell = openCell(order, true);
      current.cell = cell;
      current.said = undefined;
      const recordedCode = untimely ? rolledBack : code;
      const fuelLimit =
        replacementCode === undefined ? granted : Math.max(tracingFuel.min, fuel * tracingFuel.times);
      try {
        const result = await execute(replacementCode ?? recordedCode, fuelLimit, order);
        const isFinal = cell.gains.final !== null;
        return { result, answer: isFinal ? cell.gains.final!.answer : null, isFinal };
      } finally {
        current.cell = null;
      }
    },
    plain: (code) => execute(code, tracingFuel.min, null),
  };
}

/** The value of a cell's last expression, if it could be sent. */
export const lastValue = (result: CellResult): Value | undefined =>
  result.kind === 'ok' ? (result.value?.value ?? undefined) : undefined;
