/** Plans the first questions: scores each for the alert, and selects the best, with reasons. */
import type { SignalTopic } from '../../core/index.ts';
import { isExtractive } from '../../model/index.ts';
import type { Alert } from './alert/alert.ts';
import { distinctiveWords } from './brief/words.ts';
import { fillArguments } from './gather/arguments.ts';
import { type GatherTool, listQuestionTools } from './gather/tools.ts';
import { listUsableSignals } from './resolve-integrations.ts';
import type { RunContext } from './run-context.ts';
import type { IncidentState, PlannedAction, Updates } from './state.ts';

/** Maximum number of planned questions. */
export const toolBudget = 10;
/**
 * Minimum number of questions per system if there are many systems and no model chooses: otherwise some systems would
 * never be asked.
 */
const minPerSystem = 3;

/** The score of each topic, for any alert. */
const topicScores: Readonly<Record<SignalTopic, number>> = {
  changes: 3,
  metrics: 3,
  logs: 3,
  traces: 2.2,
  errors: 1.8,
  alerts: 1.5,
  objects: 1.5,
  database: 1,
};

const hints: readonly [SignalTopic, RegExp][] = [
  ['database', /\b(db|sql|postgres\w*|mysql|redis|query|queries|deadlock|replication|connection pool)\b/i],
  [
    'objects',
    /\b(pod|container|node|kube\w*|deployment|crashloop\w*|oom\w*|replica\w*|namespace|evict\w*)\b/i,
  ],
  ['errors', /\b(exception|error|panic|crash|traceback)\b/i],
  ['traces', /\b(latency|slow|p9[059]|duration|timeout|deadline)\b/i],
  ['logs', /\b(error|log|exception|fail\w*)\b/i],
];

interface ScoredTool {
  readonly tool: GatherTool;
  readonly score: number;
  readonly reasons: readonly string[];
}

export async function planActions(state: IncidentState, context: RunContext): Promise<Updates> {
  const { alert } = state;
  if (alert === null) throw new RangeError('there is no alert to plan for');
  const scored = rankTools(state, context);
  const systems = listUsableSignals(state, context.signals).length;
  const max = isExtractive(context.models.planner)
    ? Math.max(toolBudget, minPerSystem * systems)
    : toolBudget;
  const actions: PlannedAction[] = [];
  const leftOut: string[] = [];
  const lowScored: ScoredTool[] = [];
  for (const scoredTool of scored) {
    const wide =
      scoredTool.tool.question?.topic !== 'logs' || /pattern/.test(scoredTool.tool.name) ? 'wide' : 'narrow';
    const given = fillArguments(scoredTool.tool.question!, alert, wide);
    if ('missing' in given)
      leftOut.push(
        `${scoredTool.tool.name}: it needs ${given.missing.join(', ')}, which the alert does not give`,
      );
    else if (actions.length < max)
      actions.push({
        tool: scoredTool.tool.name,
        arguments: given.arguments,
        score: Math.round(scoredTool.score * 100) / 100,
        rationale: scoredTool.reasons.join('; '),
      });
    else lowScored.push(scoredTool);
  }
  leftOut.push(
    ...lowScored.map(
      ({ tool, score }) => `${tool.name}: ${max} others score more than its ${score.toFixed(1)}`,
    ),
  );
  // Never empty, so that a model at least learns which questions exist.
  const fallback = actions.length === 0 ? scored.slice(0, 3) : [];
  return {
    plan: {
      actions: [
        ...actions,
        ...fallback.map(({ tool, score, reasons }) => ({
          tool: tool.name,
          arguments: {},
          score,
          rationale: `nothing can be asked from the alert alone; the most relevant by its kind: ${reasons.join('; ')}`,
        })),
      ],
      leftOut,
    },
  };
}

/** All possible questions, the most relevant first. */
export function rankTools(state: IncidentState, context: RunContext): readonly ScoredTool[] {
  const { alert } = state;
  const tools = listQuestionTools(listUsableSignals(state, context.signals));
  return tools
    .map((tool) => scoreTool(tool, alert, state.sent))
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
}

function scoreTool(tool: GatherTool, alert: Alert | null, sent: string): ScoredTool {
  const { question, signal } = tool;
  const reasons: string[] = [];
  if (question === null || signal === null) return { tool, score: 0, reasons };
  let score = topicScores[question.topic];
  reasons.push(`${question.topic} are looked at in every incident`);
  const add = (points: number, reason: string): void => {
    score += points;
    reasons.push(reason);
  };
  for (const [topic, words] of hints)
    if (topic === question.topic && words.test(sent)) add(1, `the alert speaks of ${topic}`);
  if (alert?.query != null && question.topic === 'metrics' && /range/.test(tool.name))
    add(2, 'it can ask the query of the rule itself');
  if (alert?.source === 'alertmanager' && /^(prometheus|alertmanager)/.test(tool.name))
    add(1, 'the alert came from there');
  if (sent.toLowerCase().includes(signal.system.toLowerCase())) add(1, `the alert names ${signal.system}`);
  if (/pattern/.test(tool.name)) add(0.5, 'patterns show what is new at a glance');
  const alertWords = new Set(distinctiveWords(sent));
  const shared = [...new Set(distinctiveWords(tool.description))].filter((word) => alertWords.has(word));
  if (shared.length > 0)
    add(
      Math.min(0.5, shared.length * 0.1),
      `its description shares ${shared.slice(0, 3).join(', ')} with the alert`,
    );
  return { tool, score, reasons };
}
