import { roundToUnit } from '../budget/amounts.ts';
import {
  type AllAmounts,
  type Amounts,
  type BudgetEnd,
  type Resource,
  resources,
  zeroAmounts,
} from '../budget/budget.ts';
import type { CitationStatus } from '../citation.ts';
import type { Claim } from '../claim.ts';
import type { LoggedEvent } from '../event.ts';
import type { Evidence } from '../evidence.ts';
import type { RunResult, StopReason } from '../result.ts';

/** The state of a run, from its log alone. The log may end anywhere. */
export interface RunState {
  /** `empty`: nothing is logged. */
  readonly status: 'empty' | 'running' | 'finished';
  readonly shape: string | null;
  readonly question: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limits: Amounts;
  /** The number of the latest step; 0 before the first. */
  readonly step: number;
  /** Evidence by id, in the order of registration. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  readonly citations: ReadonlyMap<string, CitationStatus>;
  /** All claims of the answer; null if they were not checked. */
  readonly claims: readonly Claim[] | null;
  /**
   * The settled amounts of a finished run. For an unfinished one, the sum of the log: answered calls, started steps and
   * the working time of each process.
   */
  readonly spent: AllAmounts;
  readonly exhausted: readonly BudgetEnd[];
  readonly stop: StopReason | null;
  readonly result: RunResult | null;
  /** Milliseconds since the Unix epoch. */
  readonly started: number | null;
  readonly updated: number | null;
  /** How often the run was resumed. */
  readonly resumed: number;
}

export function runState(log: readonly LoggedEvent[]): RunState {
  const evidence = new Map<string, Evidence>();
  const citations = new Map<string, CitationStatus>();
  const exhausted: BudgetEnd[] = [];
  const steps = new Set<number>();
  let spent: AllAmounts = zeroAmounts;
  let started: Extract<LoggedEvent['event'], { kind: 'run_started' }> | null = null;
  let finished: Extract<LoggedEvent['event'], { kind: 'run_finished' }> | null = null;
  let claims: readonly Claim[] | null = null;
  let resumed = 0;
  let step = 0;
  for (const { event } of log) {
    switch (event.kind) {
      case 'run_started':
        started ??= event;
        break;
      case 'run_resumed':
        resumed += 1;
        break;
      case 'step_started':
        steps.add(event.step);
        step = Math.max(step, event.step);
        break;
      case 'model_replied':
        spent = plus(spent, event.spent);
        break;
      case 'evidence_registered':
        if (!evidence.has(event.evidence.id)) evidence.set(event.evidence.id, event.evidence);
        break;
      case 'citation_checked':
        citations.set(event.id, event.status);
        break;
      case 'claims_checked':
        ({ claims } = event);
        break;
      case 'budget_exhausted':
        exhausted.push(event.exhausted);
        break;
      case 'run_finished':
        finished = event;
        break;
      case 'model_called':
      case 'model_failed':
      case 'action_started':
      case 'action_finished':
      case 'node_started':
      case 'node_finished':
      case 'session_opened':
      case 'cell_started':
      case 'cell_finished':
      case 'helper_called':
      case 'note':
        break;
    }
  }
  return Object.freeze({
    status: log.length === 0 ? 'empty' : finished === null ? 'running' : 'finished',
    shape: started?.shape ?? null,
    question: started?.question ?? null,
    params: started?.params ?? {},
    limits: started?.limits ?? {},
    step,
    evidence,
    citations,
    claims,
    spent: finished?.spent ?? { ...spent, steps: steps.size, wall_ms: sumWorkTime(log) },
    exhausted,
    stop: finished?.result.stop_reason ?? null,
    result: finished?.result ?? null,
    started: log[0]?.at ?? null,
    updated: log.at(-1)?.at ?? null,
    resumed,
  });
}

/** The time between the end of one process and the resumption by the next does not count. */
function sumWorkTime(log: readonly LoggedEvent[]): number {
  let sum = 0;
  log.forEach(({ at, event }, index) => {
    const before = log[index - 1];
    if (before !== undefined && event.kind !== 'run_resumed') sum += Math.max(0, at - before.at);
  });
  return sum;
}

function plus(sum: AllAmounts, more: Amounts): AllAmounts {
  const add = (resource: Resource) => roundToUnit(resource, sum[resource] + (more[resource] ?? 0));
  return Object.fromEntries(resources.map((resource) => [resource, add(resource)])) as Record<
    Resource,
    number
  >;
}
