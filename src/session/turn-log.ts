/** What the log of a turn's run is told, under keys that are the same when a step is done again. */
import {
  type Amounts,
  type Clock,
  type Exhausted,
  plainLine,
  shortLine,
  type ToolResult,
} from '../core/index.ts';
import type { ToolCallMessage } from './messages.ts';
import type { TurnLife } from './turn-life.ts';

export interface TurnLog {
  /** The planner decides for the n-th time in this turn: what is told from here on belongs to that step. */
  step(step: number, left: Amounts): void;
  /** The step that is under way. */
  number(): number;
  decided(text: string, calls: readonly ToolCallMessage[]): void;
  /** Gives what is to be told the answer. */
  begun(call: ToolCallMessage): (result: ToolResult) => void;
  exhausted(exhausted: Exhausted): void;
  /** Why it stands still; it can be gone on with. */
  left(how: 'cancelled' | 'failed' | 'interrupted', text: string): void;
}

/** Characters of a line, and of one text among the arguments of a call: a page that is written is in the world. */
const longest = 300;

export function turnLog({ log, fence }: TurnLife, clock: Clock): TurnLog {
  let step = Math.max(0, ...log.read().map(({ event }) => (event.kind === 'step_started' ? event.step : 0)));
  return {
    step(given, left) {
      step = given;
      const finite = Object.entries(left).filter(([, amount]) => Number.isFinite(amount));
      log.append(`step-${step}`, { kind: 'step_started', step, left: Object.fromEntries(finite) });
    },
    number: () => step,
    decided(text, calls) {
      for (const { id, name, args } of calls)
        log.append(`${id}/started`, {
          kind: 'action_started',
          step,
          call: id,
          action: name,
          input: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, cut(value)])),
          reasoning: shortLine(plainLine(text), longest),
        });
    },
    begun({ id, name }) {
      const since = clock.now();
      return (result) => {
        const { evidence, completeness } = result.ok
          ? result
          : { evidence: [], completeness: 'unknown' as const };
        const fresh = evidence.filter((each) =>
          log.append(each.id, { kind: 'evidence_registered', step, evidence: each }),
        );
        log.append(`${id}/finished`, {
          kind: 'action_finished',
          step,
          call: id,
          action: name,
          outcome: result.ok ? 'ok' : 'error',
          summary: summaryOf(result),
          evidence: evidence.map((each) => each.id),
          fresh: fresh.length,
          completeness,
          wall_ms: clock.now() - since,
        });
      };
    },
    exhausted(exhausted) {
      log.append(`step-${step}/exhausted-${exhausted.resource}`, {
        kind: 'budget_exhausted',
        step,
        exhausted,
      });
    },
    left(how, text) {
      const level = how === 'interrupted' ? 'info' : 'warning';
      log.append(`${how}/${fence}`, { kind: 'note', level, text: shortLine(plainLine(text), longest) });
    },
  };
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= longest ? value : shortLine(text, longest);
}

/** Facts only: what was read stays in the conversation. */
function summaryOf(result: ToolResult): string {
  if (!result.ok) return shortLine(plainLine(`${result.error.code}: ${result.error.message}`), longest);
  const { write, deviation_ids, text } = result;
  const lines = text.split('\n').length;
  if (write === null) return `${lines} ${lines === 1 ? 'line' : 'lines'}`;
  const kept = `${write.applied ? 'applied' : 'held for the author'}: ${write.write_id}`;
  return deviation_ids.length === 0 ? kept : `${kept}, deviations ${deviation_ids.join(', ')}`;
}
