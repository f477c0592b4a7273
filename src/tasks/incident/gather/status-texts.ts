/**
 * The short texts that inform a model about the state of an investigation, besides the evidence. Text of systems is
 * quoted in marked blocks.
 */

import { formatShortNumber } from '../../../core/incidents.ts';
import { quoteMaterial } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/index.ts';
import { type Judgement, listSuspects } from '../brief/judge.ts';
import type { RunContext } from '../run-context.ts';
import type { CallMade, IncidentState } from '../state.ts';

/** Maximum tokens of the list of asked questions. */
const callTokens = 1_500;
const maxMovements = 12;

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export function formatWindow({ window, alert }: IncidentState): string {
  if (window === null) return 'no stretch of time';
  const began = alert?.started == null ? '' : `; the alert began at ${formatTime(alert.started)}`;
  return `${formatTime(window.from)} to ${formatTime(window.to)}${began}`;
}

/** The text stays equal as long as the findings do, so that a change is noticed. */
export function formatFacts(judgement: Judgement, { alert }: Pick<IncidentState, 'alert'>): string {
  const { movements, firstFailing, onset, onsetFrom } = judgement;
  const none =
    alert?.started == null
      ? 'no series moved; the alert names no time, so when it came'
      : 'no series moved; the alert';
  const lines = [
    `onset: ${formatTime(onset)} (${onsetFrom === 'series' ? 'a series left its course' : none})`,
    ...(firstFailing === null ? [] : [`first service to fail: ${firstFailing}`]),
    ...movements
      .slice(0, maxMovements)
      .map(
        ({ service, metric, direction, shape, before, after, onset: at, evidence }) =>
          `${formatTime(at)} ${service === null ? '' : `${service} `}${metric} ${direction} (${shape}), ${formatShortNumber(before)} to ${formatShortNumber(after)} ${evidence}`,
      ),
  ];
  return quoteMaterial(lines.join('\n'), { source: 'worked out by the program', trust: 'derived' });
}

/** Planned questions that nobody has asked yet. */
export function listUnasked({ plan, calls }: IncidentState): readonly string[] {
  const asked = new Set(calls.map(({ tool }) => tool));
  return (plan?.actions ?? []).map(({ tool }) => tool).filter((tool) => !asked.has(tool));
}

export function formatCalls({ calls }: IncidentState, tokens: number): string {
  if (calls.length === 0) return 'Nothing.';
  const lines: string[] = [];
  let left = Math.min(callTokens, tokens);
  for (const call of calls.toReversed()) {
    const line = formatCall(call);
    left -= estimateTokens(line);
    if (left < 0) break;
    lines.unshift(line);
  }
  return quoteMaterial(lines.join('\n'), { source: 'questions asked so far', trust: 'derived' });
}

const formatCall = ({ tool, arguments: args, outcome, summary }: CallMade): string =>
  `${tool} ${JSON.stringify(args).slice(0, 200)}: ${outcome === 'ok' ? '' : `${outcome}, `}${summary.slice(0, 300)}`;

export function formatSuspects(judgement: Judgement): string {
  const lines = listSuspects(judgement, 8).map(
    ({ kind, id, score, why, evidence }) => `${score} ${kind} ${id}: ${why} ${evidence.join(' ')}`,
  );
  const text = lines.length === 0 ? 'Nothing is suspect so far.' : lines.join('\n');
  return quoteMaterial(text, { source: 'suspects, ranked by the program', trust: 'derived' });
}

export function formatBudget(
  iteration: number,
  { limits, pool }: Pick<RunContext, 'limits' | 'pool'>,
): string {
  const left = pool.remaining();
  const parts = [`turn ${iteration} of ${limits.iterations}, the last is for the conclusion`];
  if (Number.isFinite(left.tokens)) parts.push(`${Math.max(0, Math.floor(left.tokens))} tokens`);
  if (Number.isFinite(left.usd)) parts.push(`$${Math.max(0, left.usd).toFixed(3)}`);
  if (Number.isFinite(left.wall_ms)) parts.push(`${Math.max(0, Math.floor(left.wall_ms / 1000))} s`);
  return parts.join('; ');
}
