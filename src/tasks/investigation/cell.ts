/** One cell from its grant of fuel to its record. */
import { type Exhausted, isSondeError, type Reservation } from '../../core/index.ts';
import type { CellResult, KillCause, Output } from '../../sandbox/index.ts';
import { finite } from '../run-limits.ts';
import type { Crew, Place } from './crew.ts';
import { cellFuel, leastFuel, outputBytes } from './limits.ts';
import { type CellRecord, type Gains, type NodeState, noGains, plusTally } from './state.ts';
import { type Order, type Run, rolledBack, type Workbench } from './workbench.ts';

export type Ran =
  | { readonly kind: 'ran'; readonly cell: CellRecord }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted }
  | { readonly kind: 'cancelled' };

export interface CellOrder {
  readonly key: string;
  readonly label: string;
  readonly step: number;
  readonly code: string;
}

/**
 * Runs a cell, or gives what is recorded of it. Of a replay it does both. What it comes to is recorded with the
 * state of the session, in one transaction.
 */
export async function runCell(
  asked: CellOrder,
  state: NodeState,
  place: Place,
  crew: Crew,
  bench: Workbench,
): Promise<Ran> {
  const { key, step } = asked;
  const known = crew.journal.recall(`${key}/done`) as CellRecord | undefined;
  if (known !== undefined && crew.compare === undefined) return { kind: 'ran', cell: known };
  if (known === undefined && crew.signal.aborted) return { kind: 'cancelled' };
  const fuel = known === undefined ? grant(key, place, crew, state.last) : recordedGrant(known);
  if (fuel.kind === 'exhausted') return fuel;
  crew.log.append(`${key}/started`, {
    kind: 'cell_started',
    step,
    node: place.key,
    cell: key,
    code: asked.code,
  });
  // What it takes of the fuel is held, whatever becomes of this process.
  await crew.commit();
  const code = known?.untimely ? rolledBack : asked.code;
  const order: Order = {
    ...asked,
    code,
    granted: fuel.granted,
    last: state.last,
    clock: known?.clock ?? null,
    before: state.gains,
  };
  const stop = AbortSignal.any([crew.signal, crew.failure.signal]);
  const run = await runOrLost(bench, order, state.cells, stop);
  crew.failure.check();
  if (
    known === undefined &&
    run !== null &&
    !run.insisted &&
    !run.overdue &&
    isCancelled(run.result) &&
    crew.signal.aborted
  ) {
    // What it cost is known, though nothing of it stands.
    fuel.reservation?.settle({ fuel: run.result.fuel });
    return { kind: 'cancelled' };
  }
  const seen = run === null ? { variables: [], draft: null } : await bench.look();
  const cell = recordOf(order, run, seen);
  if (known !== undefined) {
    crew.compare?.(known, cell);
    return { kind: 'ran', cell: known };
  }
  const snapshot = cell.gains.final === null ? await bench.checkpoint() : null;
  const stands = crew.synced(() => {
    const recorded = crew.journal.record(`${key}/done`, cell) as CellRecord;
    fuel.reservation?.settle({ fuel: cell.fuel });
    if (snapshot !== null) crew.snapshots.save(place.key, snapshot);
    crew.log.append(`${key}/finished`, {
      kind: 'cell_finished',
      step,
      node: place.key,
      cell: key,
      outcome: cell.outcome,
      output: cell.output,
      bytes: cell.bytes,
      fuel: cell.fuel,
      calls: cell.calls,
      wall_ms: run === null ? 0 : Math.round(run.result.wall_ms + run.result.host_ms),
      left: finite(place.pool.remaining({ final: true })),
    });
    return recorded;
  });
  if (snapshot !== null) bench.rest();
  return { kind: 'ran', cell: stands };
}

type Grant =
  | { readonly kind: 'granted'; readonly granted: number; readonly reservation: Reservation | null }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted };

/**
 * Never more than half of what is left, and that shared with all that may run beside it: what the cell nests needs
 * some, too, and a cell holds its grant while that runs.
 */
function grant(key: string, { pool, depth }: Place, { limits }: Crew, last: boolean): Grant {
  const left = pool.remaining({ final: last }).fuel;
  const granted = Math.max(leastFuel, Math.floor(Math.min(cellFuel, left / (2 * limits.children ** depth))));
  const reservation = pool.reserve(`${key}/fuel`, { fuel: granted }, { final: last });
  if (reservation.kind === 'exhausted') return { kind: 'exhausted', exhausted: reservation };
  return { kind: 'granted', granted, reservation };
}

function recordedGrant({ granted }: CellRecord): Grant {
  return { kind: 'granted', granted, reservation: null };
}

/** Null where the worker under the session went away: then the cell is as one that was killed. */
async function runOrLost(
  bench: Workbench,
  order: Order,
  past: readonly CellRecord[],
  signal: AbortSignal,
): Promise<Run | null> {
  try {
    return await bench.run(order, past, signal);
  } catch (thrown) {
    if (isSondeError(thrown, 'sandbox_ended')) return null;
    throw thrown;
  }
}

function isCancelled(result: CellResult): boolean {
  return result.status === 'killed' && result.reason.kind === 'cancelled';
}

function recordOf(
  { key, code, granted }: Order,
  run: Run | null,
  seen: Pick<CellRecord, 'variables' | 'draft'>,
): CellRecord {
  if (run === null)
    return {
      ...{ key, code, granted, outcome: 'killed', untimely: true, bytes: 0, fuel: granted, calls: 0 },
      clock: null,
      ...{
        output: 'The sandbox was lost; names are as they were before this cell.',
        line: 'the sandbox was lost',
      },
      ...seen,
      gains: { ...noGains, tally: cellTally(0) },
    };
  const { result } = run;
  const output = outputOf(result, run);
  const gains: Gains = {
    ...run.gains,
    tally: plusTally(run.gains.tally, cellTally(Buffer.byteLength(output))),
  };
  return {
    key,
    code,
    granted,
    outcome: result.status,
    output,
    bytes: result.stdout.bytes + result.stderr.bytes,
    line: lineOf(result, run),
    fuel: result.fuel,
    calls: result.calls,
    clock: asked(result.clock) ? result.clock : null,
    untimely: !run.insisted && isUntimely(result),
    ...seen,
    gains,
  };
}

const asked = (clock: CellResult['clock']): boolean =>
  clock !== null && clock.real.length + clock.monotonic.length > 0;

const cellTally = (shown: number) => ({ nodes: 0, cells: 1, handled: 0, shown, prompts: 0 });

function isUntimely(result: CellResult): boolean {
  if (result.status !== 'killed') return false;
  const { reason } = result;
  return reason.kind === 'cancelled' || (reason.kind === 'limit' && reason.limit === 'wall_ms');
}

type Ended = Pick<Run, 'insisted' | 'overdue'>;

/** What a cell left to be seen: streams, the value of its last expression, how it failed. */
function outputOf(result: CellResult, ended: Ended): string {
  const parts = [streamText('', result.stdout), streamText('stderr:\n', result.stderr)];
  if (result.status === 'ok' && result.value !== null) parts.push(`value: ${result.value.repr}`);
  if (result.status === 'error') {
    parts.push(result.error.traceback.slice(-4000).trimEnd());
    const hint = hints[result.error.type];
    if (hint !== undefined) parts.push(hint);
  }
  if (result.status === 'killed')
    parts.push(`The cell was killed: ${causeText(result.reason, ended)}. Names are as they were before it.`);
  for (const { limit, used, allowed } of result.hits)
    if (limit !== 'output_bytes') parts.push(`limit ${limit}: ${used}, where ${allowed} are allowed`);
  return parts.filter((part) => part !== '').join('\n');
}

/** What readers took for granted, and what there is instead. */
const hints: Readonly<Record<string, string>> = {
  FileNotFoundError:
    'There are no files in the sandbox: kb_list and kb_search find the material, and kb_read(path) reads it.',
  ModuleNotFoundError:
    'There is the standard library of Python without what needs an operating system or a library in C (sockets, processes, threads, sqlite3, zlib, zoneinfo, asyncio, unittest), and no packages.',
};

function streamText(label: string, { text, bytes, truncated }: Output): string {
  if (text === '') return '';
  const note = truncated
    ? `\n(${bytes} bytes were printed; at most ${outputBytes} are shown: head and tail)`
    : '';
  return `${label}${text.trimEnd()}${note}`;
}

function causeText(reason: KillCause, { insisted, overdue }: Ended): string {
  if (insisted) return 'it went on asking though the budget is at its end';
  if (overdue) return 'it went on asking though its time was over';
  switch (reason.kind) {
    case 'limit':
      return `${reason.limit} ${reason.used} of ${reason.allowed}`;
    case 'exit':
      return `it ended the interpreter with ${reason.code}`;
    case 'abort':
      return `it crashed the interpreter, and a fresh one goes on (${reason.detail})`;
    case 'cancelled':
      return 'it was cancelled';
  }
}

function lineOf(result: CellResult, ended: Ended): string {
  const printed = `${result.stdout.bytes} bytes printed`;
  if (result.status === 'error') return `${result.error.type}: ${result.error.message.slice(0, 160)}`;
  if (result.status === 'killed') return `killed: ${causeText(result.reason, ended)}`;
  return `ok, ${printed}, ${result.calls} calls`;
}
