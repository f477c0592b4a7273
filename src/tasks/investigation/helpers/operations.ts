/** The helpers as operations of a sandbox session: recorded, counted, and answered under the caller's capabilities. */
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
  /** Consecutive calls that were refused because the budget is used up. */
  refused: number;
  /** Whether it called the host after its time was over. */
  overdue: boolean;
  /** Ended because it kept calling helpers after the budget ran out. */
  endedPastBudget: boolean;
  /** Whether it may use the reserved time. */
  readonly final: boolean;
  /** Ends the cell. */
  readonly stop: AbortController;
  /** The cell ran before: it gets its recorded answers, and no calls are made. */
  readonly recordedOnly: boolean;
}

type OperationRecord =
  | { readonly value: Value; readonly gains: Partial<Gains> | null; readonly summary: string }
  | { readonly error: string; readonly code: ErrorCode };

/**
 * Calls in a row without budget: at the first number the helper ends the cell, which keeps its names; at the second
 * the cell is killed.
 */
const maxRefused = { told: 8, killed: 64 };

/** Ports of a session's operations: the running cell is looked up at each call. */
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
    ([name, helper]) => [name, recordedOperation(name, helper, ports)] as const,
  );
  // The passed context is part of the run itself.
  const seedNames: Operation = () => ports.place.context as Value;
  return { ...Object.fromEntries(recorded), seeded_context: seedNames };
}

function recordedOperation(name: string, helper: Helper, ports: OperationPorts): Operation {
  return async (given, { signal }) => {
    const args = plainValue(given) as Arguments;
    const [first = args, ...rest] = ports.context.isVersion01 ? callsBefore(name, args) : [args];
    const ask = recordCall(name, helper, ports);
    if (rest.length === 0) return ask(first, signal);
    const values: Value[] = [];
    for (const each of [first, ...rest]) values.push(...((await ask(each, signal)) as readonly Value[]));
    return values;
  };
}

function recordCall(name: string, helper: Helper, { context, place, cell: current }: OperationPorts) {
  return async (args: Arguments, signal: AbortSignal): Promise<Value> => {
    const cell = current();
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
    const stepped = await context.step<OperationRecord>(key, {
      pool: place.pool,
      // Reads are repeated if the cell itself is not recorded yet.
      cheap: !costlyHelpers.has(name),
      async run() {
        requireNotRecordedOnly();
        const answer = await attempt();
        context.failure.check();
        if (call.signal.aborted) throw new SondeError('cancelled', { message: 'the run was cancelled' });
        return { value: answer, keep: true, events: eventsOf(answer) };
      },
    });
    if (stepped.kind !== 'done') throw new SondeError('cancelled', { message: 'the run was cancelled' });
    const operationRecord = stepped.value;
    if (stepped.recalled && name === 'investigate' && context.onCell !== undefined) await helper(args, call);
    // With recorded answers, it ends at the same call each time.
    cell.refused = isBudgetEnd(operationRecord) ? cell.refused + 1 : 0;
    if (cell.refused > maxRefused.killed) cell.stop.abort();
    if (cell.refused > maxRefused.told) {
      cell.endedPastBudget = true;
      throw new SondeError('cancelled', {
        message: 'the budget is at its end, and this cell went on asking',
      });
    }
    if ('error' in operationRecord)
      throw new SondeError(operationRecord.code, { message: operationRecord.error });
    const bytes = Buffer.byteLength(JSON.stringify(operationRecord.value ?? null));
    const gains: Gains = { ...noGains, ...operationRecord.gains };
    const tally = {
      ...(operationRecord.gains?.tally ?? noTally),
      handled: (operationRecord.gains?.tally?.handled ?? 0) + bytes,
    };
    cell.gains = plusGains(cell.gains, { ...gains, tally });
    return operationRecord.value;

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

    function eventsOf(answer: OperationRecord): readonly (readonly [string, RunEvent])[] {
      const isError = 'error' in answer;
      const evidence = isError ? [] : (answer.gains?.evidence ?? []);
      return [
        ...evidence.map(
          (evidence) =>
            [
              `evidence/${evidence.id}`,
              { kind: 'evidence_registered', step: cell.step, evidence: evidence },
            ] as const,
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
            summary: (isError ? answer.error : answer.summary).slice(0, 300),
            bytes: isError ? 0 : Buffer.byteLength(JSON.stringify(answer.value ?? null)),
            wall_ms: context.clock.now() - started,
          },
        ],
      ];
    }
  };
}

/** Helpers that are paid for, or that end the investigation. */
const costlyHelpers: ReadonlySet<string> = new Set(['llm_query', 'investigate', 'final']);

function isBudgetEnd(operationRecord: OperationRecord): boolean {
  if ('error' in operationRecord) return false;
  const { value } = operationRecord;
  const slots = Array.isArray(value) ? (value as readonly { readonly code?: unknown }[]) : [];
  return slots.length > 0 && slots.every((slot) => slot?.code === 'budget');
}
