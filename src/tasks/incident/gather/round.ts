/**
 * Runs the tool calls of one reply: each question is asked once, different systems in parallel, and the answers are
 * added to the state.
 */
import { quoteMaterial, type RunEvent } from '../../../core/index.ts';
import { type Call, inputRoom, type Result } from '../../../model/index.ts';
import { judgeState } from '../brief/judge-state.ts';
import type { RunContext } from '../run-context.ts';
import { type CallMade, type IncidentState, mergeUpdates, type Talk } from '../state.ts';
import { type AskResult, askQuestion, callKey, countAsked, findAnswered } from './ask-question.ts';
import { systemName } from './breaker.ts';
import { listNotes, type RecordedDocument } from './documents.ts';
import { isChange, type SeenTexts, type ShownText, separateBare, showPieces } from './pieces.ts';
import { runReasoningTool } from './reason.ts';
import { addAnswer, prepareDiffs, widenToOnset } from './seeds.ts';
import type { GatherTool } from './tools.ts';

export interface RoundOptions {
  readonly iteration: number;
  /** The text that the model wrote beside its calls. */
  readonly reasoning: string;
  readonly tools: readonly GatherTool[];
}

export interface Round {
  readonly state: IncidentState;
  /** One for each call, in their order. */
  readonly results: readonly Result[];
  /** Ids of the evidence that the results show in full. */
  readonly shown: readonly string[];
  /** Whether something new was found. */
  readonly hasNews: boolean;
}

/** The action for a call, decided from the state at the beginning of the round. */
type CallPlan =
  | { readonly kind: 'put'; readonly tool: GatherTool; readonly args: Args; readonly nth: number }
  | { readonly kind: 'reason'; readonly args: Args; readonly again: boolean }
  | { readonly kind: 'again'; readonly args: Args; readonly before: CallMade | null }
  | { readonly kind: 'refused'; readonly args: Args; readonly why: string };

type Args = Readonly<Record<string, unknown>>;

/** Null if the person stopped the run meanwhile. */
export async function runRound(
  state: IncidentState,
  calls: readonly Call[],
  context: RunContext,
  options: RoundOptions,
): Promise<Round | null> {
  const plans = calls.map((call, n) => planCall(state, calls.slice(0, n), call, options.tools));
  const puts = await askAll(state, calls, plans, context, options);
  if (puts === null) return null;
  let round: Round = { state, results: [], shown: [], hasNews: false };
  let left = computeRoundTokens(context);
  for (const [n, call] of calls.entries()) {
    const before = Math.floor(left / (calls.length - n));
    const added = addCallResult(round, call, plans[n]!, puts.get(n) ?? null, { tokens: before, options });
    left -= added.used;
    round = added.round;
  }
  return round;
}

function planCall(
  state: IncidentState,
  earlier: readonly Call[],
  call: Call,
  tools: readonly GatherTool[],
): CallPlan {
  // Models that must fill every field pass null for missing ones.
  const args = Object.fromEntries(Object.entries(call.input).filter(([, value]) => value !== null));
  if (call.fit === 'unreadable')
    return { kind: 'refused', args: {}, why: 'The arguments were no JSON object: write the call again.' };
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return { kind: 'refused', args, why: `There is no tool ${call.name.slice(0, 80)}; there are ${names}.` };
  }
  const checked = tool.parameters.safeParse(args);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    return {
      kind: 'refused',
      args,
      why: `${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'unfit'}`,
    };
  }
  const before = findAnswered(state.calls, tool.name, args);
  if (tool.question === null) return { kind: 'reason', args, again: before !== null };
  const key = callKey(tool.name, args);
  const beside = earlier.some((call) => call.fit !== 'unreadable' && callKey(call.name, call.input) === key);
  if (before !== null || beside) return { kind: 'again', args, before };
  const isSameTool = ({ name }: { readonly name: string }) => name === tool.name;
  const nth = countAsked(state, tool.name) + earlier.filter(isSameTool).length + 1;
  return { kind: 'put', tool, args, nth };
}

/**
 * Questions to one system are asked one after the other, since that system may be the overloaded one; different systems
 * are asked in parallel.
 */
async function askAll(
  state: IncidentState,
  calls: readonly Call[],
  plans: readonly CallPlan[],
  context: RunContext,
  { iteration, reasoning }: RoundOptions,
): Promise<ReadonlyMap<number, AskResult> | null> {
  const puts = new Map<number, AskResult>();
  let stopped = false;
  const chains = Map.groupBy(
    plans.entries().map(([n, plan]) => ({ n, plan })),
    ({ plan }) => (plan.kind === 'put' && plan.tool.signal !== null ? systemName(plan.tool.signal) : ''),
  );
  const ends = await Promise.allSettled(
    [...chains.values()].map(async (chain) => {
      let callsMade = state.calls;
      for (const { n, plan } of chain) {
        const key = `turn-${iteration}/call-${n + 1}`;
        if (plan.kind !== 'put') {
          traceRefused(calls[n]!, plan, key, context, { iteration, reasoning });
          continue;
        }
        const { tool, args, nth } = plan;
        const how = { iteration, key, reasoning, nth };
        const putResult = await askQuestion({ ...state, calls: callsMade }, context, tool, args, how);
        stopped ||= putResult === null;
        if (putResult === null) return;
        await prepareDiffs(putResult);
        puts.set(n, putResult);
        callsMade = [...callsMade, putResult.call];
      }
    }),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return stopped ? null : puts;
}

/** Logs calls that were refused before they reached a system. */
function traceRefused(
  { name }: Call,
  plan: Exclude<CallPlan, { kind: 'put' }>,
  key: string,
  { tell }: Pick<RunContext, 'tell'>,
  { iteration, reasoning }: Pick<RoundOptions, 'iteration' | 'reasoning'>,
): void {
  const action = name.slice(0, 80);
  const again = plan.kind === 'again' || (plan.kind === 'reason' && plan.again);
  const finished: RunEvent = {
    kind: 'action_finished',
    step: iteration,
    call: key,
    action,
    outcome: plan.kind === 'refused' ? 'error' : again ? 'cached' : 'ok',
    summary: plan.kind === 'refused' ? plan.why : again ? 'asked before' : 'from the evidence held',
    evidence: [],
    fresh: 0,
    completeness: 'complete',
    wall_ms: 0,
  };
  tell(`${key}/started`, {
    kind: 'action_started',
    step: iteration,
    call: key,
    action,
    input: plan.args,
    reasoning,
  });
  tell(`${key}/finished`, finished);
}

interface ShowOptions {
  readonly tokens: number;
  readonly options: RoundOptions;
}

function addCallResult(
  { state, results, shown, hasNews }: Round,
  call: Call,
  plan: CallPlan,
  putResult: AskResult | null,
  { tokens, options: { iteration } }: ShowOptions,
): { readonly round: Round; readonly used: number } {
  const sees = listSeen(state, shown);
  const continueRound = (
    next: IncidentState,
    text: string,
    more: {
      readonly ok?: boolean;
      readonly hasNews?: boolean;
      readonly ids?: readonly string[];
      readonly used?: number;
    },
  ) => ({
    round: {
      state: next,
      results: [...results, { call: call.id, name: call.name, ok: more.ok ?? true, text }],
      shown: [...shown, ...(more.ids ?? [])],
      hasNews: hasNews || more.hasNews === true,
    },
    used: more.used ?? 0,
  });
  const toCallMade = (
    outcome: CallMade['outcome'],
    summary: string,
    evidence: readonly string[] = [],
  ): CallMade => ({
    iteration,
    tool: call.name.slice(0, 80),
    arguments: plan.args,
    outcome,
    summary,
    evidence,
  });
  switch (plan.kind) {
    case 'refused':
      return continueRound(addCall(state, toCallMade('refused', plan.why)), plan.why, { ok: false });
    case 'again': {
      const before = plan.before ?? findAnswered(state.calls, call.name, plan.args);
      if (before === null)
        return continueRound(
          addCall(state, toCallMade('duplicate', 'asked twice at once')),
          'Asked beside, once.',
          {},
        );
      const note = `Asked before at turn ${before.iteration}, and not asked again: ${before.summary}`;
      const { text, ids, tokens: used } = showEvidence(state, before.evidence, { tokens, sees });
      const next = addCall(state, { ...before, iteration, outcome: 'duplicate', summary: note });
      return continueRound(next, joinTexts(note, text), { ids, used });
    }
    case 'reason': {
      const reasoned = runReasoningTool(state, call.name, plan.args, iteration);
      const isNew = !plan.again && reasoned.call.outcome === 'ok';
      const recalled = state.evidence.filter(({ id }) => reasoned.recalled.includes(id));
      const shownText = showPieces(recalled, { tokens, sees, recorded: state.recorded });
      const text = joinTexts(reasoned.shown ?? reasoned.call.summary, shownText.text);
      const outcome = plan.again ? 'duplicate' : reasoned.call.outcome;
      return continueRound(addCall(state, { ...reasoned.call, outcome }), text, {
        ok: outcome !== 'refused',
        hasNews: isNew,
        ids: shownText.ids,
        used: shownText.tokens,
      });
    }
    case 'put': {
      if (putResult === null) throw new RangeError(`${call.name} was not put`);
      const next =
        plan.tool.question?.topic === 'metrics'
          ? widenToOnset(addAnswer(state, putResult))
          : addAnswer(state, putResult);
      if (putResult.document === null)
        return continueRound(next, formatFailure(putResult.call), {
          ok: false,
          hasNews: true,
        });
      const { recorded } = putResult.document;
      const pieces = showEvidence(next, recorded.evidence, { tokens, sees });
      const text = joinTexts(
        putResult.call.summary,
        ...listChangeNotes(recorded),
        recorded.empty ? '' : pieces.text,
      );
      return continueRound(next, text, { ids: pieces.ids, used: pieces.tokens, hasNews: true });
    }
  }
}

const joinTexts = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

/** The notes of changes, which no piece of evidence contains. */
const listChangeNotes = (doc: RecordedDocument): readonly string[] =>
  doc.rows.kind === 'changes' ? listNotes(doc) : [];

const addCall = (state: IncidentState, call: CallMade): IncidentState =>
  mergeUpdates(state, { calls: [...state.calls, call] });

/** For changes, the likeliest causes first. */
function showEvidence(
  state: IncidentState,
  ids: readonly string[],
  { tokens, sees }: { readonly tokens: number; readonly sees: SeenTexts },
): ShownText {
  const wanted = new Set(ids);
  const items = state.evidence.filter(({ id }) => wanted.has(id));
  if (!items.some(isChange)) return showPieces(items, { tokens, sees, recorded: state.recorded });
  const suspicion = new Map<string, number>();
  for (const { evidence, score } of judgeState(state).blamed)
    for (const id of evidence) suspicion.set(id, Math.max(suspicion.get(id) ?? 0, score));
  const ordered = items.toSorted((a, b) => (suspicion.get(b.id) ?? 0) - (suspicion.get(a.id) ?? 0));
  const { full, listed } = separateBare(ordered, state.recorded);
  return showPieces(full, { tokens, sees, recorded: state.recorded }, listed);
}

/** The hashes of texts that the model sees in full, after the dialogue was cut. */
function listSeen({ talk, evidence }: IncidentState, alsoShown: readonly string[]): SeenTexts {
  const ids = new Set([...listVisible(talk), ...alsoShown]);
  return new Map(evidence.flatMap(({ id, hash }) => (ids.has(id) ? [[hash, id] as const] : [])));
}

function listVisible(talk: Talk | null): readonly string[] {
  if (talk === null) return [];
  const from = Math.max(talk.cut.shortened, talk.cut.dropped);
  return Object.entries(talk.shown).flatMap(([id, entry]) => (entry === 0 || entry >= from ? [id] : []));
}

/** The maximum of evidence in full for one round, as shares of a small window or budget, and of the limit. Tokens. */
const evidenceShare = { window: 0.2, budget: 0.08, context: 1 / 3 } as const;

function computeRoundTokens({ models: { planner }, limits }: RunContext): number {
  const window = Math.floor(inputRoom(planner, 4_000) * evidenceShare.window);
  const budget = Math.max(600, Math.floor(limits.tokens * evidenceShare.budget));
  return Math.min(Math.max(600, Math.floor(limits.context_tokens * evidenceShare.context)), window, budget);
}

/** The reason is Sonde's text; the rest comes from the system or a proxy, so it is quoted. */
function formatFailure({ tool, summary }: CallMade): string {
  const [, reason = 'failed', message = ''] = /^(\w+): ([\s\S]*)$/.exec(summary) ?? [];
  const block = quoteMaterial(message, { source: `error of ${tool}`, trust: 'untrusted' });
  return `It failed: ${reason}. It may be asked again.\n${block}`;
}
