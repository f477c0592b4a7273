/** The free tools: they use recorded evidence and query no system. */
import { quoteMaterial } from '../../../core/index.ts';
import { judgeState } from '../brief/judge-state.ts';
import type { CallMade, IncidentState } from '../state.ts';
import { formatSuspects } from './status-texts.ts';

export interface ReasonResult {
  readonly call: CallMade;
  /** The result, in a marked block. */
  readonly shown: string | null;
  /** Ids of evidence to show in full. */
  readonly recalled: readonly string[];
}

const maxHits = 20;

export function runReasoningTool(
  state: IncidentState,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  iteration: number,
): ReasonResult {
  const toCall = (
    outcome: CallMade['outcome'],
    summary: string,
    evidence: readonly string[] = [],
  ): CallMade => ({
    iteration,
    tool,
    arguments: args,
    outcome,
    summary,
    evidence,
  });
  switch (tool) {
    case 'recall_evidence': {
      const wanted = Array.isArray(args['ids']) ? args['ids'].map(String) : [];
      const known = wanted.filter((id) => state.evidence.some((item) => item.id === id));
      return known.length === 0
        ? { call: toCall('refused', 'there is no evidence of these ids'), shown: null, recalled: [] }
        : { call: toCall('ok', `shown again: ${known.join(' ')}`), shown: null, recalled: known };
    }
    case 'search_evidence': {
      const words = String(args['text'] ?? '').toLowerCase();
      const hits = state.evidence.flatMap((item) =>
        item.content
          .split('\n')
          .flatMap((line, n) =>
            line.toLowerCase().includes(words)
              ? [{ id: item.id, text: `${item.id} ${item.start_line + n}| ${line.slice(0, 300)}` }]
              : [],
          ),
      );
      const shown = hits.slice(0, maxHits);
      return {
        call: toCall(hits.length === 0 ? 'empty' : 'ok', `${hits.length} lines hold it`, []),
        shown: quoteMaterial(
          hits.length === 0
            ? 'no line holds it'
            : [
                ...shown.map(({ text }) => text),
                ...(hits.length > shown.length ? [`and ${hits.length - shown.length} more`] : []),
              ].join('\n'),
          { source: `lines of the evidence that hold ${JSON.stringify(words)}`, trust: 'untrusted' },
        ),
        recalled: [],
      };
    }
    default:
      return {
        call: toCall('ok', 'the ranking of the program'),
        shown: formatSuspects(judgeState(state)),
        recalled: [],
      };
  }
}
