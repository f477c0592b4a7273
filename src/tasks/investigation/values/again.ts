/**
 * Runs the cells of an investigation again, in order, in a fresh session: helpers give their recorded answers, and
 * nothing is asked anew. The new call of FINAL is compared with the log, not read from it.
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
const memory = 512 * mebibyte;
const valueBytes = 4 * mebibyte;
/** Milliseconds per cell, if the run has that much left. */
const maxLength = 60_000;
/** The maximum of fuel for a cell, as a multiple of its first run; and the minimum. */
const dearer = { times: 120, min: 20_000_000_000 } as const;

/** How often FINAL was called, and its argument as JSON: from the second run itself. */
export interface SecondRun {
  readonly result: CellResult;
  /** Null if FINAL was not called, or called with a value that was not recorded. */
  readonly answer: unknown;
  readonly isFinal: boolean;
}

export interface SecondSession {
  /** Runs the next cell. `code` replaces the recorded code. */
  cell(record: CellRecord, code?: string): Promise<SecondRun>;
  /** Code of the program's own, which asks no helper. */
  plain(code: string): Promise<CellResult>;
}

/** Null if the session could not be opened or was lost. */
export async function inSecondSession<Found>(
  place: TreeNode,
  { onCell: _, ...crew }: RunContext,
  work: (session: SecondSession) => Promise<Found>,
): Promise<Found | null> {
  const seats = seatsOf(crew.sandbox);
  await seats.take(place.depth > 0);
  const open: { cell: OpenCell | null; said: unknown } = { cell: null, said: undefined };
  let session: Session | null = null;
  try {
    const operations = operationsOf({
      context: crew,
      place,
      runNested: () => Promise.reject(new Error('a cell that is run again opens no investigation')),
      cell: () => open.cell!,
    });
    const { final } = operations;
    session = await crew.sandbox.open({
      operations: {
        ...operations,
        final(given, context) {
          open.said = plainValue(given);
          return final!(given, context);
        },
      },
      seed: seedOf(crew, place),
      limits: { memory_bytes: memory },
    });
    const timeLeft = () => place.pool.timeLeft({ final: true });
    return await work(secondSession(session, open, timeLeft, crew));
  } catch (thrown) {
    crew.failure.check();
    if (isBroken(thrown)) return null;
    throw thrown;
  } finally {
    await session?.close();
    seats.leave();
  }
}

const isBroken = (thrown: unknown): boolean =>
  ['sandbox_ended', 'bad_argument'].includes((thrown as { readonly code?: string }).code ?? '');

function secondSession(
  session: Session,
  open: { cell: OpenCell | null; said: unknown },
  left: () => number,
  { failure, signal }: Pick<RunContext, 'failure' | 'signal'>,
): SecondSession {
  const run = (code: string, fuel: number, order: Pick<Order, 'clock'> | null): Promise<CellResult> =>
    session.execute(code, {
      limits: {
        ...{
          fuel,
          wall_ms: Math.max(1, Math.floor(Math.min(maxLength, left()))),
          output_bytes: outputBytes,
          calls: cellCalls,
        },
        ...{ value_bytes: valueBytes, code_bytes: 4 * mebibyte },
      },
      signal: AbortSignal.any([failure.signal, signal]),
      ...(order?.clock != null && { clock: order.clock }),
    });
  return {
    async cell({ key, code, granted, fuel, clock, untimely }, inPlace) {
      const order: Order = {
        ...{ key, label: '', step: 0, code, granted, clock },
        ...{ last: true, final: true, before: noGains },
      };
      const cell = openCell(order, true);
      open.cell = cell;
      open.said = undefined;
      const own = untimely ? rolledBack : code;
      const units = inPlace === undefined ? granted : Math.max(dearer.min, fuel * dearer.times);
      try {
        const result = await run(inPlace ?? own, units, order);
        const isFinal = cell.gains.final !== null;
        return { result, answer: isFinal ? cell.gains.final!.answer : null, isFinal };
      } finally {
        open.cell = null;
      }
    },
    plain: (code) => run(code, dearer.min, null),
  };
}

/** The value of a cell's last expression, if it could be sent. */
export const lastValue = (result: CellResult): Value | undefined =>
  result.kind === 'ok' ? (result.value?.value ?? undefined) : undefined;
