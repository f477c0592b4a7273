/**
 * What a model is shown of an investigation: bounded, whatever it holds. Text of systems and models stands in
 * marked blocks. When the evidence is too much, what repeats other evidence goes first, then what is worth
 * least; each leaves one line with its id, by which it can be asked for again.
 */
import type { AllAmounts, Evidence } from '../../../core/index.ts';
import { estimateTokens, type Model } from '../../../model/index.ts';
import { quoteMaterial } from '../../../session/index.ts';
import { allSuspects, type Judgement } from '../brief/judge.ts';
import type { Limits } from '../limits.ts';
import type { IncidentState } from '../state.ts';
import { callKey } from './put-question.ts';

const stubTokens = 3_000;
const callTokens = 2_500;
const alertTokens = 2_000;

const stamp = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

/** What one model can be shown of evidence: at most half of its window, and never more than the limit. */
export const evidenceSizes = ({ context_tokens }: Limits, model: Pick<Model, 'contextWindow'>) => ({
  least: 400,
  most: Math.max(1_000, Math.min(context_tokens, Math.floor(model.contextWindow * 0.5))),
});

interface Piece {
  readonly item: Evidence;
  readonly worth: number;
  readonly twinOf: string | null;
}

const topicWorth: readonly [RegExp, number][] = [
  [/pattern/, 3],
  [/change|commit|deploy|git|flag/, 1],
  [/metric|range|series|prometheus/, 2.5],
  [/trace|span/, 2],
];

/** Recalled evidence first, then the newest, then what bears on the likeliest suspects. */
function pieces(state: IncidentState, judgement: Judgement, recalled: readonly string[]): readonly Piece[] {
  const turnOf = new Map<string, number>();
  for (const call of state.calls) for (const id of call.evidence) turnOf.set(id, call.iteration);
  const newest = Math.max(0, ...turnOf.values());
  const suspicion = new Map<string, number>();
  for (const { evidence, score } of judgement.blamed)
    for (const id of evidence) suspicion.set(id, Math.max(suspicion.get(id) ?? 0, score));
  const first = new Map<string, string>();
  return state.evidence
    .map((item): Piece => {
      const twinOf = first.get(item.hash) ?? null;
      if (twinOf === null) first.set(item.hash, item.id);
      const turn = turnOf.get(item.id) ?? 0;
      const isChange = item.symbol_kind !== null;
      const topic = isChange ? 0 : (topicWorth.find(([name]) => name.test(item.file_path))?.[1] ?? 1.5);
      const worth =
        (recalled.includes(item.id) ? 100 : 0) +
        (turn > 0 && turn === newest && !isChange ? 10 : 0) +
        turn * 0.1 +
        topic +
        (suspicion.get(item.id) ?? 0) * 8;

      return { item, worth, twinOf };
    })
    .sort((a, b) => Number(a.twinOf !== null) - Number(b.twinOf !== null) || b.worth - a.worth);
}

/** Changes that nothing speaks for are listed, even where there is room for more. */
const worthShowing = 0.15;

const place = ({ file_path, start_line, end_line }: Evidence): string =>
  `${file_path}:${start_line}-${end_line}`;

function inFull(item: Evidence): string {
  const lines = item.content.split('\n').map((line, n) => `${item.start_line + n}| ${line}`);
  return quoteMaterial(lines.join('\n'), { source: `${item.id} ${place(item)}`, trust: 'untrusted' });
}

const about = (item: Evidence): string =>
  (item.symbol_kind === null ? item.reason : (item.content.split('\n')[0] ?? '')).slice(0, 110);

export function evidencePage(
  state: IncidentState,
  judgement: Judgement,
  tokens: number,
  recalled: readonly string[] = [],
): string {
  if (state.evidence.length === 0) return 'None yet.';
  const full: string[] = [];
  const stubs: string[] = [];
  let left = tokens;
  for (const { item, twinOf, worth } of pieces(state, judgement, recalled)) {
    const stub = `${item.id} ${place(item)} ${about(item)}`;
    if (twinOf !== null && worth < 100) {
      stubs.push(`${item.id} ${place(item)} says the same as ${twinOf}`);
      continue;
    }
    const shown = inFull(item);
    const cost = estimateTokens(shown);
    if (cost <= left && worth >= worthShowing) {
      full.push(shown);
      left -= cost;
    } else stubs.push(stub);
  }
  if (stubs.length === 0) return full.join('\n');
  let room = Math.min(stubTokens, Math.max(300, tokens / 2));
  const listed: string[] = [];
  for (const stub of stubs) {
    room -= estimateTokens(stub) + 1;
    if (room < 0) break;
    listed.push(stub);
  }
  if (listed.length < stubs.length)
    listed.push(`and ${stubs.length - listed.length} more: search_evidence finds them`);
  return [
    ...full,
    quoteMaterial(listed.join('\n'), {
      source: 'evidence held, one line each; recall_evidence shows it again',
      trust: 'untrusted',
    }),
  ].join('\n');
}

export const alertPage = ({ sent }: IncidentState): string =>
  quoteMaterial(cut(sent, alertTokens), { source: 'the alert as it was sent', trust: 'untrusted' });

export const windowPage = ({ window, alert }: IncidentState): string =>
  window === null
    ? 'none'
    : `${stamp(window.from)} to ${stamp(window.to)}${alert?.started == null ? '' : `; the alert began at ${stamp(alert.started)}`}`;

export function planPage({ plan, calls }: IncidentState): string {
  if (plan === null || plan.actions.length === 0) return 'Nothing was planned.';
  const done = new Set(calls.map((call) => callKey(call.tool, call.arguments)));
  const asked = new Set(calls.map(({ tool }) => tool));
  return plan.actions
    .map(({ tool, arguments: args, rationale }) => {
      const state = done.has(callKey(tool, args))
        ? 'done'
        : asked.has(tool)
          ? 'asked otherwise'
          : 'to be done';
      return `- ${tool} ${JSON.stringify(args).slice(0, 200)}: ${state} (${rationale.slice(0, 120)})`;
    })
    .join('\n');
}

/** Planned questions that nobody has asked yet. */
export function unasked({ plan, calls }: IncidentState): readonly string[] {
  const asked = new Set(calls.map(({ tool }) => tool));
  return (plan?.actions ?? []).map(({ tool }) => tool).filter((tool) => !asked.has(tool));
}

export function callsPage({ calls }: IncidentState): string {
  if (calls.length === 0) return 'None yet.';
  const lines: string[] = [];
  let left = callTokens;
  for (const call of calls.toReversed()) {
    const ids =
      call.evidence.length === 0
        ? ''
        : ` ${call.evidence.slice(0, 3).join(' ')}${call.evidence.length > 3 ? ' …' : ''}`;
    const line = `${call.iteration}. ${call.tool} ${JSON.stringify(call.arguments).slice(0, 200)}: ${call.outcome}, ${call.summary.slice(0, 160)}${ids}`;
    left -= estimateTokens(line);
    if (left < 0) break;
    lines.unshift(line);
  }
  return quoteMaterial(lines.join('\n'), { source: 'questions asked so far', trust: 'derived' });
}

/** What the code worked out, as far as it is short. */
export function factsPage(judgement: Judgement, shown: readonly string[]): string {
  const { movements, firstFailing, onset, onsetFrom } = judgement;
  const lines = [
    `onset: ${stamp(onset)} (${onsetFrom === 'series' ? 'a series left its course' : 'no series moved; the alert'})`,
    ...(firstFailing === null ? [] : [`first service to fail: ${firstFailing}`]),
    ...movements
      .slice(0, 12)
      .map(
        ({ service, metric, direction, before, after, onset: at, evidence }) =>
          `${stamp(at)} ${service ?? ''} ${metric} ${direction}, ${round(before)} to ${round(after)} ${evidence}`,
      ),
  ];
  return [
    quoteMaterial(lines.join('\n'), { source: 'worked out by the program', trust: 'derived' }),
    ...shown,
  ].join('\n');
}

const round = (value: number): string => String(Number(value.toPrecision(6)));

export const suspectsBlock = (judgement: Judgement): string =>
  quoteMaterial(suspectsText(judgement), { source: 'suspects, ranked by the program', trust: 'derived' });

function suspectsText(judgement: Judgement): string {
  const lines = allSuspects(judgement, 8).map(
    ({ kind, id, score, why, evidence }) => `${score} ${kind} ${id}: ${why} ${evidence.join(' ')}`,
  );
  return lines.length === 0 ? 'Nothing is suspect so far.' : lines.join('\n');
}

export function budgetPage(iteration: number, limits: Limits, left: AllAmounts): string {
  const parts = [`turn ${iteration} of ${limits.iterations}, the last is for the conclusion`];
  if (Number.isFinite(left.tokens)) parts.push(`${Math.max(0, Math.floor(left.tokens))} tokens`);
  if (Number.isFinite(left.usd)) parts.push(`$${Math.max(0, left.usd).toFixed(3)}`);
  if (Number.isFinite(left.wall_ms)) parts.push(`${Math.max(0, Math.floor(left.wall_ms / 1000))} s`);
  return parts.join('; ');
}

function cut(text: string, tokens: number): string {
  const most = tokens * 3;
  return Buffer.byteLength(text) <= most
    ? text
    : `${text.slice(0, most)}\n[cut here: ${text.length} characters in all]`;
}
