/**
 * Writes the events of a tool call into the log of the turn's run, under keys that stay the same if the call is
 * repeated.
 */
import { plainLine, type RunEvent, shortLine, type ToolResult } from '../../core/index.ts';
import type { ToolCallMessage } from '../history/messages.ts';

/** Maximum characters of a line, and of one text among the arguments. The world stores written pages in full. */
const maxLength = 300;

/** `why`: the planner's words next to the call. */
export function createStartedEvent(
  { id, name, args }: ToolCallMessage,
  { step, why }: { readonly step: number; readonly why: string },
): RunEvent {
  return {
    kind: 'action_started',
    step,
    call: id,
    action: name,
    input: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, cutArgument(value)])),
    reasoning: shortLine(plainLine(why), maxLength),
  };
}

export function createFinishedEvents(
  { id, name }: ToolCallMessage,
  result: ToolResult,
  { step, wallMs, known }: ToolEnd,
): readonly (readonly [string, RunEvent])[] {
  const { evidence, completeness } = result.ok ? result : { evidence: [], completeness: 'unknown' as const };
  const newEvidence = evidence.filter((evidence) => !known.has(evidence.id));
  return [
    ...newEvidence.map(
      (evidence) => [evidence.id, { kind: 'evidence_registered', step, evidence: evidence }] as const,
    ),
    [
      `${id}/finished`,
      {
        kind: 'action_finished',
        step,
        call: id,
        action: name,
        outcome: result.ok ? 'ok' : 'error',
        summary: summarize(result),
        evidence: evidence.map((evidence) => evidence.id),
        fresh: newEvidence.length,
        completeness,
        wall_ms: wallMs,
      },
    ],
  ];
}

export interface ToolEnd {
  readonly step: number;
  readonly wallMs: number;
  /** Ids of the evidence that the turn holds. */
  readonly known: ReadonlySet<string>;
}

function cutArgument(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxLength ? value : shortLine(text, maxLength);
}

/** The facts of a result. Its content stays in the conversation. */
function summarize(result: ToolResult): string {
  if (!result.ok) return shortLine(plainLine(`${result.error.code}: ${result.error.message}`), maxLength);
  const { write, deviation_ids, text } = result;
  const lines = text.split('\n').length;
  if (write === null) return `${lines} ${lines === 1 ? 'line' : 'lines'}`;
  const writeText = `${write.applied ? 'applied' : 'held for the author'}: ${write.write_id}`;
  return deviation_ids.length === 0 ? writeText : `${writeText}, deviations ${deviation_ids.join(', ')}`;
}
