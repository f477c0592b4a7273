/** Runs one cell: reserves fuel, executes the code, and records the result. */
import { type BudgetEnd, isSondeError, type RunEvent } from '../../../core/index.ts';
import { type CellResult, graceFuel, type KillCause, type Output } from '../../../sandbox/index.ts';
import { finiteAmounts } from '../../run-limits.ts';
import { cellFuel, minFuel, outputBytes } from '../limits.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type CellRecord, type Gains, type NodeState, noGains, plusTally } from '../state.ts';
import { usesReserve } from '../talk/talk.ts';
import { type CellRun, type Order, rolledBack, type Workbench } from './workbench.ts';

export type CellResultOrEnd =
  | { readonly kind: 'ran'; readonly cell: CellRecord }
  | { readonly kind: 'cancelled' }
  | BudgetEnd;

export interface CellOrder {
  readonly key: string;
  readonly label: string;
  readonly step: number;
  readonly code: string;
}

/**
 * Runs a cell, or returns its record if there is one; a replay does both. If the stored session is one cell behind the
 * records, that cell runs again with its recorded answers.
 */
export async function runCell(
  cellOrder: CellOrder,
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  bench: Workbench,
): Promise<CellResultOrEnd> {
  const fuelEnd = await checkFuel(cellOrder, state, place, context);
  if (fuelEnd !== null) return fuelEnd;
  const { key } = cellOrder;
  const final = usesReserve(state, place);
  let granted = 0;
  const stepResult = await context.step<CellRecord>(`${key}/done`, {
    pool: place.pool,
    final,
    // Doesn't wait for budget, since the cell that started this investigation may have reserved it.
    waits: false,
    cost() {
      granted = grantFuel(place, context, final);
      return { fuel: reserveForCell(granted) };
    },
    startEvent: {
      kind: 'cell_started',
      step: cellOrder.step,
      node: place.key,
      cell: key,
      code: cellOrder.code,
    },
    async run() {
      const order: Order = {
        ...cellOrder,
        granted,
        last: state.last,
        final,
        clock: null,
        before: state.gains,
      };
      const run = await runUnlessLost(bench, order, state.cells, stopSignal(context));
      // The fuel is spent, although the result is not recorded.
      const wasCancelled = isCancelledBy(run, context);
      const cell = toRecord(order, run, run === null || wasCancelled ? emptyView : await bench.look());
      if (wasCancelled || context.failure.signal.aborted)
        return { value: cell, spent: { fuel: cell.fuel }, record: false };
      return {
        value: cell,
        spent: { fuel: cell.fuel },
        keepIfCancelled: true,
        events: [[`${key}/finished`, toFinishedEvent(cellOrder, cell, run, place)]],
      };
    },
  });
  context.failure.check();
  if (stepResult.kind !== 'done') return stepResult;
  const { value: cell, recalled } = stepResult;
  if (recalled) await compareCell(cellOrder, cell, state, context, bench);
  else await storeCheckpoint(cell, place, context, bench);
  return { kind: 'ran', cell };
}
const stopSignal = ({ signal, failure }: RunContext): AbortSignal =>
  AbortSignal.any([signal, failure.signal]);
const emptyView: Pick<CellRecord, 'variables' | 'draft'> = { variables: [], draft: null };

/** Fuel reserved for a cell. At its limit it is interrupted, and gets as much again, at most `graceFuel`, to finish. */
const reserveForCell = (granted: number): number => granted + Math.min(granted, graceFuel) + lastCallFuel;
/** Fuel for a host call that began before the limit, and is charged after it. */
const lastCallFuel = 1_000;

/**
 * Fuel that a cell may use: at most half of the remaining fuel, divided among parallel investigations, since nested
 * ones need some while the cell runs.
 */
function grantFuel({ pool, depth }: TreeNode, { limits }: RunContext, final: boolean): number {
  const fuel = pool.remaining({ final }).fuel;
  const share = fuel / (2 * limits.children ** depth);
  // If parallel work has used up the budget meanwhile, this gives the minimum, whose reservation then fails.
  const payable = Math.max((fuel - lastCallFuel) / 2, fuel - lastCallFuel - graceFuel);
  return Math.max(minFuel, Math.floor(Math.min(cellFuel, share, payable)));
}

/** Null if there is fuel for a cell. Recorded, so that a repeated cell decides the same. */
async function checkFuel(
  { key }: CellOrder,
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<Exclude<CellResultOrEnd, { readonly kind: 'ran' }> | null> {
  const final = usesReserve(state, place);
  const { pool } = place;
  const stepResult = await context.step<BudgetEnd | null>(`${key}/fuel`, {
    deferCommit: true,
    async run() {
      const fuel = pool.remaining({ final }).fuel;
      if (fuel >= reserveForCell(minFuel)) return { value: null };
      const limit = context.limits.fuel;
      const amounts = {
        account: pool.account,
        limit,
        spent: limit - fuel,
        held: 0,
        requested: reserveForCell(minFuel),
      };
      return { value: { kind: 'exhausted', resource: 'fuel', ...amounts } };
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : stepResult;
}

function toFinishedEvent(
  { step }: CellOrder,
  cell: CellRecord,
  run: CellRun | null,
  { key, pool }: TreeNode,
): RunEvent {
  const remaining = pool.remaining({ final: true });
  return {
    kind: 'cell_finished',
    step,
    node: key,
    cell: cell.key,
    outcome: cell.outcome,
    output: cell.output,
    bytes: cell.bytes,
    fuel: cell.fuel,
    calls: cell.calls,
    wall_ms: run === null ? 0 : Math.round(run.result.wall_ms + run.result.host_ms),
    // The reservation is released only when this event is recorded.
    left: finiteAmounts({ ...remaining, fuel: remaining.fuel + reserveForCell(cell.granted) - cell.fuel }),
  };
}

/** Stores the session. Until the next cell, it may then be closed to make room for another. */
async function storeCheckpoint(
  { gains }: CellRecord,
  place: TreeNode,
  context: RunContext,
  bench: Workbench,
): Promise<void> {
  if (gains.final !== null) return;
  const snapshot = await bench.checkpoint();
  if (snapshot === null) return;
  context.snapshots.save(place.key, snapshot);
  bench.rest();
}

/** In a replay: runs the cell again, with its recorded answers and clock, and passes both records to `onCell`. */
export async function compareCell(
  cellOrder: CellOrder,
  cellRecord: CellRecord,
  state: NodeState,
  context: RunContext,
  bench: Workbench,
): Promise<void> {
  if (context.onCell === undefined) return;
  const { granted, untimely, clock } = cellRecord;
  const code = untimely ? rolledBack : cellOrder.code;
  const order: Order = {
    ...cellOrder,
    code,
    granted,
    clock,
    last: state.last,
    final: true,
    before: state.gains,
  };
  const run = await runUnlessLost(bench, order, state.cells, stopSignal(context));
  context.failure.check();
  context.onCell(cellRecord, toRecord(order, run, run === null ? emptyView : await bench.look()));
}

function isCancelledBy(run: CellRun | null, { signal }: RunContext): boolean {
  return run !== null && !run.killedPastBudget && !run.overdue && isCancelled(run.result) && signal.aborted;
}

/** Null if the worker of the session has died. The cell then counts as killed. */
async function runUnlessLost(
  bench: Workbench,
  order: Order,
  past: readonly CellRecord[],
  signal: AbortSignal,
): Promise<CellRun | null> {
  try {
    return await bench.run(order, past, signal);
  } catch (thrown) {
    if (isSondeError(thrown, 'sandbox_ended')) return null;
    throw thrown;
  }
}

function isCancelled(result: CellResult): boolean {
  return result.kind === 'killed' && result.reason.kind === 'cancelled';
}

function toRecord(
  { key, code, granted }: Order,
  run: CellRun | null,
  view: Pick<CellRecord, 'variables' | 'draft'>,
): CellRecord {
  if (run === null)
    return {
      ...{
        key,
        code,
        granted,
        outcome: 'killed',
        untimely: true,
        bytes: 0,
        fuel: reserveForCell(granted),
        calls: 0,
      },
      clock: null,
      ...{
        output: 'The sandbox was lost; names are as they were before this cell.',
        line: 'the sandbox was lost',
      },
      ...view,
      gains: { ...noGains, tally: tallyOfCell(0) },
    };
  const { result } = run;
  const output = formatOutput(result, run);
  const gains: Gains = {
    ...run.gains,
    tally: plusTally(run.gains.tally, tallyOfCell(Buffer.byteLength(output))),
  };
  return {
    key,
    code,
    granted,
    outcome: run.endedPastBudget && result.kind === 'ok' && gains.final === null ? 'error' : result.kind,
    output,
    bytes: result.stdout.bytes + result.stderr.bytes,
    line: summarize(result, run),
    fuel: result.fuel,
    calls: result.calls,
    clock: hasClockReadings(result.clock) ? result.clock : null,
    untimely: !run.killedPastBudget && isUntimely(result),
    ...view,
    gains,
  };
}

const hasClockReadings = (clock: CellResult['clock']): boolean =>
  clock !== null && clock.real.length + clock.monotonic.length > 0;

const tallyOfCell = (shown: number) => ({ nodes: 0, cells: 1, handled: 0, shown, prompts: 0 });

function isUntimely(result: CellResult): boolean {
  if (result.kind !== 'killed') return false;
  const { reason } = result;
  return reason.kind === 'cancelled' || (reason.kind === 'limit' && reason.limit === 'wall_ms');
}

type CellEnd = Pick<CellRun, 'killedPastBudget' | 'overdue' | 'endedPastBudget'>;

const pastBudgetText =
  'it went on asking though the budget is at its end, and was ended there: what stood behind that call, FINAL too, did not run; names are as they stood then';

/** The output of a cell that the planner sees: streams, the value of the last expression, and the error. */
function formatOutput(result: CellResult, cellEnd: CellEnd): string {
  const parts = [streamText('', result.stdout), streamText('stderr:\n', result.stderr)];
  if (result.kind === 'ok' && result.value !== null) parts.push(`value: ${result.value.repr}`);
  if (result.kind === 'error') {
    parts.push(result.error.traceback.slice(-4000).trimEnd());
    const hint = hints[result.error.type];
    if (hint !== undefined) parts.push(hint);
  }
  if (result.kind === 'killed')
    parts.push(`The cell was killed: ${killText(result.reason, cellEnd)}. Names are as they were before it.`);
  if (cellEnd.endedPastBudget && result.kind === 'ok') parts.push(`The cell was ended: ${pastBudgetText}.`);
  for (const { limit, used, allowed } of result.hits)
    if (limit !== 'output_bytes') parts.push(`limit ${limit}: ${used}, where ${allowed} are allowed`);
  return parts.filter((part) => part !== '').join('\n');
}

/** Hints for errors of code that expects what the sandbox lacks, by the type of the error. */
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

function killText(reason: KillCause, { killedPastBudget, overdue }: CellEnd): string {
  if (killedPastBudget) return 'it went on asking though the budget is at its end';
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

function summarize(result: CellResult, cellEnd: CellEnd): string {
  const printed = `${result.stdout.bytes} bytes printed`;
  if (result.kind === 'error') return `${result.error.type}: ${result.error.message.slice(0, 160)}`;
  if (result.kind === 'killed') return `killed: ${killText(result.reason, cellEnd)}`;
  if (cellEnd.endedPastBudget) return `ended: ${pastBudgetText}`;
  return `ok, ${printed}, ${result.calls} calls`;
}
