/** The first message of the dialogue: the alert, the findings so far, and the answers gathered without the model. */

import type { Evidence } from '../../../core/index.ts';
import { injectionGuard } from '../../../core/index.ts';
import {
  beginDialogue,
  type Dialogue,
  type DialogueTool,
  fillPrompt,
  learnTokenizer,
  promptFile,
  turnCost,
  uncut,
} from '../../../model/index.ts';
import { toolParameters } from '../../tool-parameters.ts';
import { turnOptions } from '../../turn-options.ts';
import type { Judgement } from '../brief/judge.ts';
import { alertTool, judgeState } from '../brief/judge-state.ts';
import { concludeTool } from '../diagnose/conclusion.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates, type Talk } from '../state.ts';
import { findChange, isChange, showPieces } from './pieces.ts';
import { formatBudget, formatCalls, formatFacts, formatWindow, listUnasked } from './status-texts.ts';
import type { GatherTool } from './tools.ts';

const system = fillPrompt(promptFile(new URL('../prompts/incident.md', import.meta.url)), {
  firewall: injectionGuard,
});

/** Maximum tokens of the alert in the prompt: some alerts are a few lines, others a dump. */
const alertTokens = 2_000;
/** Minimum tokens of evidence in the first message. */
const minEvidenceTokens = 400;
/** The share of the remaining budget for the first turn, since others follow. */
const openingShare = 0.5;

export interface OpeningOptions {
  readonly iteration: number;
  /** The key of its steps, unique within the run. */
  readonly key: string;
  readonly tools: readonly GatherTool[];
  /** Sent at the end: says that only the conclusion may follow. */
  readonly due?: string;
}

/** Null if the person stopped the run meanwhile. */
export async function openDialogue(
  state: IncidentState,
  context: RunContext,
  { iteration, key, tools, due }: OpeningOptions,
): Promise<IncidentState | null> {
  const head = { system, tools: [...tools.map(toDialogueTool), concludeTool] };
  const judgement = judgeState(state);
  const final = due !== undefined;
  const createOpening = (tokens: number, budget: string) => {
    const { text, ids } = formatOpening(state, judgement, tokens);
    const last = final ? due : `Budget: ${budget}.`;
    return { dialogue: beginDialogue(head, `${text}\n\n${last}`), ids };
  };
  const size = await fitSize(context, (tokens, budget) => createOpening(tokens, budget).dialogue, {
    iteration,
    key,
    final,
  });
  if (size === null) return null;
  const { dialogue, ids } = createOpening(size.tokens, size.budget);
  const talk: Talk = {
    dialogue,
    cut: uncut,
    shown: Object.fromEntries(ids.map((id) => [id, 0])),
    dry: 0,
    facts: formatFacts(judgement, state),
  };
  return mergeUpdates(state, { talk });
}

const toDialogueTool = ({ name, description, parameters }: GatherTool): DialogueTool => ({
  name,
  description,
  parameters: toolParameters(parameters),
});

interface Size {
  readonly tokens: number;
  readonly budget: string;
}

/** As much evidence as the budget pays for. Recorded, since the remaining budget changes. */
async function fitSize(
  context: RunContext,
  begin: (tokens: number, budget: string) => Dialogue,
  { iteration, key, final }: { readonly iteration: number; readonly key: string; readonly final: boolean },
): Promise<Size | null> {
  const { planner, prices } = context.models;
  const max = Math.max(
    1_000,
    Math.min(context.limits.context_tokens, Math.floor(planner.contextWindow * 0.4)),
  );
  const options = turnOptions(context, { number: iteration, name: 'incident', key: `${key}/sample`, final });
  const { maxOutputTokens, timeoutMs } = options;
  const budget = formatBudget(iteration, context);
  const left = context.pool.remaining({ final });
  if (!final)
    await learnTokenizer(context.step, `${key}/sample`, planner, begin(max, budget), { ...options, left });
  const stepResult = await context.step<Size>(`${key}/size`, {
    async run() {
      const { tokens, usd } = context.pool.remaining({ final });
      const share = final ? 1 : openingShare;
      const isAffordable = (size: number): boolean => {
        const cost = turnCost(planner, begin(size, budget), {
          maxOutputTokens,
          timeoutMs,
          ...(prices && { prices }),
        });
        return (cost.tokens ?? 0) <= tokens * share && (cost.usd ?? 0) <= usd * share;
      };
      let size = max;
      while (size > minEvidenceTokens && !isAffordable(size)) size = Math.floor(size * 0.8);
      return { value: { tokens: size, budget } };
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : null;
}

interface Opening {
  readonly text: string;
  readonly ids: readonly string[];
}

export function formatOpening(state: IncidentState, judgement: Judgement, tokens: number): Opening {
  const { recorded, evidence } = state;
  const isAlert = ({ id }: Evidence) =>
    recorded.some((doc) => doc.tool === alertTool && doc.evidence.includes(id));
  const none = { sees: new Map<string, string>(), recorded };
  const alert = showPieces(evidence.filter(isAlert), {
    ...none,
    tokens: Math.min(alertTokens, Math.max(minEvidenceTokens, tokens / 2)),
  });
  const { full, listed, later } = rankEvidence(
    state,
    judgement,
    evidence.filter((item) => !isAlert(item)),
  );
  const shownText = showPieces(full, { ...none, tokens, withoutComputed: true }, listed);
  const open = listUnasked(state);
  const words = [
    `# Alert\n\n${alert.text}`,
    `Looked at is ${formatWindow(state)}.`,
    `# Worked out by the program\n\n${formatFacts(judgement, state)}`,
    `# Asked so far\n\n${formatCalls(state, tokens / 2)}`,
    ...(open.length === 0 ? [] : [`Planned, and not asked yet: ${open.join(', ')}.`]),
    `# Evidence\n\n${shownText.text === '' ? 'None yet.' : shownText.text}`,
    ...(later === null ? [] : [later]),
  ];
  return { text: words.join('\n\n'), ids: [...alert.ids, ...shownText.ids] };
}

const topicWeights: readonly [RegExp, number][] = [
  [/pattern/, 3],
  [/metric|range|series|prometheus/, 2.5],
  [/trace|span/, 2],
];

/** Clocks differ, and a deploy is recorded when it is complete. Milliseconds. */
const slackMs = 10 * 60_000;
/** Diffs with a lower score are listed by name, even if there is room for more. */
const minScoreShown = 0.005;

interface RankedEvidence {
  readonly full: readonly Evidence[];
  readonly listed: readonly Evidence[];
  /** Names the changes that came too late to be the cause. */
  readonly later: string | null;
}

/**
 * Evidence about the likeliest suspects comes first. Changes without a diff, and changes that nothing ties to the
 * alert, are listed by name only.
 */
export function rankEvidence(
  state: IncidentState,
  judgement: Judgement,
  evidence: readonly Evidence[],
): RankedEvidence {
  const docs = new Map(state.recorded.flatMap((doc) => doc.evidence.map((id) => [id, doc] as const)));
  const blamed = new Map(
    judgement.blamed.flatMap((suspectChange) =>
      suspectChange.evidence.map((id) => [id, suspectChange] as const),
    ),
  );
  const full: { readonly item: Evidence; readonly weight: number }[] = [];
  const listed: { readonly item: Evidence; readonly at: number }[] = [];
  const late: { readonly kind: string; readonly at: number }[] = [];
  const hashes = new Set<string>();
  for (const item of evidence) {
    // The same text has another id.
    if (hashes.has(item.hash)) continue;
    hashes.add(item.hash);
    const doc = docs.get(item.id);
    const change = doc === undefined ? null : findChange(item, doc);
    const { score = 0, at = change?.at ?? 0 } = blamed.get(item.id) ?? {};
    if (!isChange(item)) {
      const weight = topicWeights.find(([name]) => name.test(item.file_path))?.[1] ?? 1.5;
      full.push({ item, weight });
    } else if (at > judgement.onset + slackMs) late.push({ kind: change?.kind ?? 'change', at });
    else if ((change?.diff ?? null) !== null && score >= minScoreShown)
      full.push({ item, weight: 1 + score * 8 });
    else listed.push({ item, at });
  }
  return {
    full: full.sort((a, b) => b.weight - a.weight).map(({ item }) => item),
    listed: listed.sort((a, b) => b.at - a.at).map(({ item }) => item),
    later: late.length === 0 ? null : formatLater(late),
  };
}

function formatLater(late: readonly { readonly kind: string; readonly at: number }[]): string {
  const kinds = [...Map.groupBy(late, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${length} of kind ${kind}`,
  );
  return `Not listed are changes that took effect more than ${slackMs / 60_000} minutes after the onset, too late to have caused it: ${kinds.join(', ')}. search_evidence finds them.`;
}
