/** Questions asked first: what every incident needs, with arguments from the alert. */
import { sha256 } from '../../../core/index.ts';
import { widenWindow } from '../alert/window.ts';
import { parseDiffsAhead } from '../brief/edits/diff.ts';
import { cutLongLines } from '../brief/facts.ts';
import { alertTool, factsIn } from '../brief/judge-state.ts';
import { findMovements } from '../brief/movement.ts';
import { rankTools } from '../plan-actions.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates, type PlannedAction } from '../state.ts';
import { createSelector, fillArguments, stripComparison } from './arguments.ts';
import { type AskResult, askQuestion, countAsked, findAnswered } from './ask-question.ts';
import { createDocument } from './documents.ts';
import type { GatherTool } from './tools.ts';

/** Maximum number of seed questions. */
const maxSeeds = 6;

interface SeedQuestion {
  readonly tool: GatherTool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** The alert itself is the first document, so that claims about it are checked like all others. */
export function recordAlert(state: IncidentState, { tell }: Pick<RunContext, 'tell'>): IncidentState {
  const { alert, window, sent, now } = state;
  if (alert === null || window === null) return state;
  const { recorded, evidence } = createDocument(
    'alert/1',
    alertTool,
    {},
    {
      kind: 'observation',
      query: alert.name,
      source: `alert from ${alert.source}`,
      window,
      at: now,
      text: sent.slice(0, 16_000),
      rows: { kind: 'table', rows: [{ fingerprint: sha256(sent) }] },
      truncated: sent.length > 16_000 ? { shown: 16_000, total: sent.length } : null,
      completeness: 'complete',
      notes: [],
    },
  );
  for (const item of evidence)
    tell(`alert/${item.id}`, { kind: 'evidence_registered', step: 0, evidence: item });
  return mergeUpdates(state, { recorded: [recorded], evidence: [...evidence] });
}

/** Asks, in this order: the rule's own query, recent changes, logs of the alert's subject. */
export async function askSeeds(state: IncidentState, context: RunContext): Promise<IncidentState> {
  let current = state;
  for (const { tool, arguments: args, why } of planSeeds(state, context)) {
    if (current.stop === 'cancelled') return current;
    current = await askSeed(current, context, tool, args, why, 0);
    if (tool.question?.topic === 'metrics') current = widenToOnset(current);
  }
  return current;
}

/** Widens the window to start before the onset, once metrics show it. */
export function widenToOnset(state: IncidentState): IncidentState {
  const { window, alert, now } = state;
  const until = (alert?.started ?? now) + 5 * 60_000;
  const [first] = findMovements(factsIn(state).series).filter(({ onset }) => onset <= until);
  return window === null || first === undefined
    ? state
    : mergeUpdates(state, { window: widenWindow(window, first.onset) });
}

/** Asks one question and adds its answer to the state. */
export async function askSeed(
  state: IncidentState,
  context: RunContext,
  tool: GatherTool,
  args: Readonly<Record<string, unknown>>,
  reasoning: string,
  iteration: number,
): Promise<IncidentState> {
  if (findAnswered(state.calls, tool.name, args) !== null) return state;
  if (context.pool.timeLeft() <= 0)
    return mergeUpdates(state, { notes: [`No time was left for ${tool.name}.`] });
  const key = `turn-${iteration}/call-${state.calls.length + 1}`;
  const nth = countAsked(state, tool.name) + 1;
  const putResult = await askQuestion(state, context, tool, args, { iteration, key, reasoning, nth });
  if (putResult === null) return mergeUpdates(state, { stop: 'cancelled' });
  await prepareDiffs(putResult);
  return addAnswer(state, putResult);
}

/** Parses the diffs of an answer before the answer is judged, which does not wait. */
export async function prepareDiffs({ document }: AskResult): Promise<void> {
  const rows = document?.recorded.rows;
  if (rows?.kind === 'changes') await parseDiffsAhead(rows.changes.map(cutLongLines));
}

export function addAnswer(
  state: IncidentState,
  putResult: NonNullable<Awaited<ReturnType<typeof askQuestion>>>,
): IncidentState {
  const knownIds = new Set(state.evidence.map(({ id }) => id));
  const { call, document } = putResult;
  return mergeUpdates(state, {
    calls: [...state.calls, call],
    ...(document !== null && {
      recorded: [...state.recorded, document.recorded],
      evidence: [...state.evidence, ...document.evidence.filter(({ id }) => !knownIds.has(id))],
    }),
  });
}

/** Whether a question about metrics takes a query in the language of its system. */
export function takesQuery({ question, name }: GatherTool): boolean {
  return /range/.test(name) && question?.parameters.safeParse({ query: '{job="x"}' }).success === true;
}

function planSeeds(state: IncidentState, context: RunContext): readonly SeedQuestion[] {
  const { alert, plan } = state;
  if (alert === null) return [];
  const ranked = rankTools(state, context).map(({ tool }) => tool);
  const planned = new Map<string, PlannedAction>(
    (plan?.actions ?? []).map((action) => [action.tool, action]),
  );
  const seeds: SeedQuestion[] = [];
  const add = (
    tool: GatherTool | undefined,
    args: Readonly<Record<string, unknown>> | undefined,
    why: string,
  ): void => {
    if (tool !== undefined && args !== undefined && seeds.length < maxSeeds)
      seeds.push({ tool, arguments: args, why });
  };
  const listByTopic = (topic: string): readonly GatherTool[] =>
    ranked.filter(({ question }) => question?.topic === topic);
  const fillNarrowArguments = (tool: GatherTool): Readonly<Record<string, unknown>> | undefined => {
    const given = fillArguments(tool.question!, alert, 'narrow');
    return 'missing' in given ? undefined : given.arguments;
  };
  const query = stripComparison(alert);
  const range = listByTopic('metrics').find(
    (tool) => query !== null && Object.values(fillNarrowArguments(tool) ?? {}).includes(query),
  );
  add(range, range && fillNarrowArguments(range), "the query of the alert's own rule, over the window");
  const all = createSelector(alert);
  const byQuery = range ?? listByTopic('metrics').find((tool) => takesQuery(tool));
  if (byQuery !== undefined && all !== null && all !== query)
    add(byQuery, { query: all }, 'every series of what the alert is about');
  const [metrics] = listByTopic('metrics').filter(({ name }) => planned.has(name));
  add(metrics, metrics && planned.get(metrics.name)?.arguments, 'how the metrics went');
  for (const changes of listByTopic('changes')
    .filter(({ name }) => planned.has(name))
    .slice(0, 2))
    add(changes, planned.get(changes.name)?.arguments, 'what was changed before');
  for (const logs of listByTopic('logs')
    .filter(({ name }) => planned.has(name))
    .slice(0, 2))
    add(logs, planned.get(logs.name)?.arguments, 'the logs of what the alert is about');
  // If none of these seeds exist, ask whatever is available: otherwise the first turn would have nothing to read.
  if (seeds.length === 0)
    for (const tool of ranked) add(tool, planned.get(tool.name)?.arguments, 'what else there is');
  return seeds;
}
