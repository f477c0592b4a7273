/**
 * Makes the helpers operations of a sandbox session, which checks the caller's capabilities, and records and counts
 * each call.
 */
import { type ErrorCode, type RunEvent, SondeError, sha256 } from '../../../core/index.ts';
import type { Operation, Operations, Value } from '../../../sandbox/index.ts';
import { capabilityOf } from '../material.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type Gains, type NodeState, noGains, noTally, plusGains } from '../state.ts';
import { llmQuery } from './ask.ts';
import { callsBefore } from './batches-of-before.ts';
import { callTool } from './call-tool.ts';
import { cite } from './cite.ts';
import { final } from './final.ts';
import { kbFind } from './find-lines.ts';
import { type Arguments, type Helper, plainValue, type RunningCell } from './helper.ts';
import { kbList, kbRead, kbSearch } from './look.ts';
import { isFatal, nestInvestigations } from './nest.ts';
import { budget, memoryGet, proposeWrite } from './others.ts';

/** A running cell, with the gains of its helpers so far. */
export interface OpenCell extends Omit<RunningCell, 'gains'> {
  readonly before: Gains;
  gains: Gains;
  calls: number;
  /** Number of consecutive calls that failed because the budget is used up. */
  refused: number;
  /** True if it called the host after its time was over. */
  overdue: boolean;
  /** True if it was ended because it kept calling helpers without budget. */
  endedPastBudget: boolean;
  /** Whether it may use the time reserved for the last turn. */
  readonly final: boolean;
  /** Ends the cell. */
  readonly stop: AbortController;
  /** True if the cell ran before: then it gets the recorded answers, and no helper runs. */
  readonly recordedOnly: boolean;
}

type OperationRecord =
  | { readonly value: Value; readonly gains: Partial<Gains> | null; readonly summary: string }
  | { readonly error: string; readonly code: ErrorCode };

/**
 * Maximum consecutive calls without budget. Above `told`, each call raises an error that ends the cell, which keeps its
 * variables; above `killed`, the cell is killed.
 */
const maxRefused = { told: 8, killed: 64 };

/** What a session's operations need. `cell` is called at each operation, and returns the running cell. */
export interface OperationPorts {
  readonly context: RunContext;
  readonly place: TreeNode;
  readonly cell: () => OpenCell;
  readonly runNested: (place: TreeNode) => Promise<NodeState>;
}

export function operationsOf(ports: OperationPorts): Operations {
  const nest = nestInvestigations(ports.runNested);
  const helpers: Readonly<Record<string, Helper>> = {
    kb_search: kbSearch,
    kb_list: kbList,
    kb_find: kbFind,
    kb_read: kbRead,
    cite,
    memory_get: memoryGet,
    llm_query: llmQuery,
    investigate: nest,
    propose_write: proposeWrite,
    budget,
    call_tool: callTool,
    final,
  };
  const recorded = Object.entries(helpers).map(
    ([name, helper]) => [name, recordOperation(name, helper, ports)] as const,
  );
  // Not recorded, since the passed context is in the row of the run.
  const readContext: Operation = () => ports.place.context as Value;
  return { ...Object.fromEntries(recorded), seeded_context: readContext };
}

function recordOperation(name: string, helper: Helper, ports: OperationPorts): Operation {
  return async (givenArgs, { signal }) => {
    const args = plainValue(givenArgs) as Arguments;
    const [firstArgs = args, ...rest] = ports.context.isVersion01 ? callsBefore(name, args) : [args];
    const callHelper = recordCall(name, helper, ports);
    if (rest.length === 0) return callHelper(firstArgs, signal);
    const values: Value[] = [];
    for (const batchArgs of [firstArgs, ...rest])
      values.push(...((await callHelper(batchArgs, signal)) as readonly Value[]));
    return values;
  };
}

function recordCall(name: string, helper: Helper, { context, place, cell: currentCell }: OperationPorts) {
  return async (args: Arguments, signal: AbortSignal): Promise<Value> => {
    const cell = currentCell();
    cell.calls += 1;
    const number = cell.calls;
    const started = context.clock.now();
    // The key contains the arguments: if the cell calls with other arguments when it runs again, nothing is recalled.
    const key = `${cell.key}/${number}-${sha256(JSON.stringify([name, args])).slice(0, 8)}`;
    const call = {
      runContext: context,
      place,
      key,
      number,
      signal: AbortSignal.any([signal, context.signal, context.failure.signal]),
      cell: {
        key: cell.key,
        label: cell.label,
        step: cell.step,
        last: cell.last,
        gains: () => plusGains(cell.before, cell.gains),
      },
    };
    const stepResult = await context.step<OperationRecord>(key, {
      pool: place.pool,
      // Reads are repeated if the cell itself is not recorded yet.
      deferCommit: !costlyHelpers.has(name),
      async run() {
        requireNotRecordedOnly();
        const record = await attempt();
        context.failure.check();
        if (call.signal.aborted) throw new SondeError('cancelled', { message: 'the run was cancelled' });
        return { value: record, keepIfCancelled: true, events: eventsOf(record) };
      },
    });
    if (stepResult.kind !== 'done') throw new SondeError('cancelled', { message: 'the run was cancelled' });
    const record = stepResult.value;
    if (stepResult.recalled && name === 'investigate' && context.onCell !== undefined)
      await helper(args, call);
    // Counted from recorded answers too, so that a repeated cell ends at the same call.
    cell.refused = isBudgetEnd(record) ? cell.refused + 1 : 0;
    if (cell.refused > maxRefused.killed) cell.stop.abort();
    if (cell.refused > maxRefused.told) {
      cell.endedPastBudget = true;
      throw new SondeError('cancelled', {
        message: 'the budget is at its end, and this cell went on asking',
      });
    }
    if ('error' in record) throw new SondeError(record.code, { message: record.error });
    const bytes = Buffer.byteLength(JSON.stringify(record.value ?? null));
    const gains: Gains = { ...noGains, ...record.gains };
    const tally = {
      ...(record.gains?.tally ?? noTally),
      handled: (record.gains?.tally?.handled ?? 0) + bytes,
    };
    cell.gains = plusGains(cell.gains, { ...gains, tally });
    return record.value;

    function requireNotRecordedOnly(): void {
      if (cell.recordedOnly)
        throw new SondeError('run_state', { message: `${name} was not asked here before` });
      if (name === 'final' || place.pool.timeLeft({ final: cell.final }) > 0) return;
      cell.overdue = true;
      cell.stop.abort();
      throw new SondeError('cancelled', { message: 'the time is over' });
    }

    async function attempt(): Promise<OperationRecord> {
      try {
        requireCapability();
        const { value, gains = null, summary } = await helper(args, call);
        return { value, gains, summary };
      } catch (thrown) {
        if (isFatal(thrown)) {
          context.failure.set(thrown);
          throw thrown;
        }
        const { code, message, remedy } = thrown as SondeError;
        return { error: remedy === undefined ? message : `${message.replace(/\.$/, '')}. ${remedy}`, code };
      }
    }

    function requireCapability(): void {
      if (cell.gains.final !== null)
        throw new SondeError('run_state', { message: 'the investigation has ended: FINAL was called' });
      const requiredCapability = capabilityOf(name, context.material.kind);
      if (requiredCapability !== null && !context.capabilities.has(requiredCapability))
        throw new SondeError('bad_argument', {
          message: `the caller lacks the capability ${requiredCapability}`,
        });
    }

    function eventsOf(record: OperationRecord): readonly (readonly [string, RunEvent])[] {
      const isError = 'error' in record;
      const evidence = isError ? [] : (record.gains?.evidence ?? []);
      return [
        ...evidence.map(
          (evidence) =>
            [`evidence/${evidence.id}`, { kind: 'evidence_registered', step: cell.step, evidence }] as const,
        ),
        [
          `${key}/called`,
          {
            kind: 'helper_called',
            step: cell.step,
            node: place.key,
            cell: cell.key,
            helper: name,
            outcome: isError ? 'error' : 'ok',
            summary: (isError ? record.error : record.summary).slice(0, 300),
            bytes: isError ? 0 : Buffer.byteLength(JSON.stringify(record.value ?? null)),
            wall_ms: context.clock.now() - started,
          },
        ],
      ];
    }
  };
}

/** Helpers that cost money, or that end the investigation. */
const costlyHelpers: ReadonlySet<string> = new Set(['llm_query', 'investigate', 'final']);

function isBudgetEnd(record: OperationRecord): boolean {
  if ('error' in record) return false;
  const { value } = record;
  const slots = Array.isArray(value) ? (value as readonly { readonly code?: unknown }[]) : [];
  return slots.length > 0 && slots.every((slot) => slot?.code === 'budget');
}
