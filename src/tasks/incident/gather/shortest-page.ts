/**
 * The shortest page from which a model can conclude: the first message, whose size is known, followed by as much of
 * the later findings as the budget pays for.
 */
import { addEntries, type Dialogue, turnCost, uncut } from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import { judgeState } from '../brief/judge-state.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates, type Talk } from '../state.ts';
import { rankEvidence } from './opening.ts';
import { showPieces } from './pieces.ts';
import { formatFacts } from './status-texts.ts';

export interface ShortestPageOptions {
  readonly iteration: number;
  /** The key of its steps, unique within the run. */
  readonly key: string;
  /** Sent at the end: says that only the conclusion may follow. */
  readonly dueNote: string;
}

const leftOutNote = 'All rounds since are left out, to make room.';
/** The maximum of an ordinary conclusion. Tokens. */
const conclusionTokens = 600;
/** Tokens of evidence; with less room than the minimum, evidence is left out. */
const evidenceTokens = { max: 8_000, min: 200 } as const;

/**
 * Null if the person stopped the run meanwhile. If the first message was never sent, its size is unknown: then the
 * dialogue stays as it was.
 */
export async function openShortestPage(
  state: IncidentState,
  context: RunContext,
  { iteration, key, dueNote }: ShortestPageOptions,
): Promise<IncidentState | null> {
  const { dialogue, cut, shown } = state.talk as Talk;
  const [first] = dialogue.entries;
  if (first?.kind !== 'user' || cut.first === undefined) return state;
  const ids = Object.keys(shown).filter((id) => shown[id] === 0);
  const since = createLaterFindings(state, new Set(ids), first.text);
  const createPage = (tokens: number) => {
    const found = since(tokens);
    const text = [leftOutNote, found.text, dueNote].filter((part) => part !== '').join('\n\n');
    return {
      dialogue: addEntries({ ...dialogue, entries: [first] }, { kind: 'user', text }),
      ids: found.ids,
    };
  };
  const sentBefore = { entries: 1, input: cut.first };
  const size = await fitSize(context, (tokens) => createPage(tokens).dialogue, {
    iteration,
    key,
    sentBefore,
  });
  if (size === null) return null;
  const page = createPage(size);
  const talk: Talk = {
    ...(state.talk as Talk),
    dialogue: page.dialogue,
    cut: {
      ...uncut,
      first: cut.first,
      ...(cut.window !== undefined && { window: cut.window }),
      ...(cut.perGuess !== undefined && { perGuess: cut.perGuess }),
    },
    shown: Object.fromEntries([...ids.map((id) => [id, 0]), ...page.ids.map((id) => [id, 1])]),
  };
  return mergeUpdates(state, { talk });
}

/** The findings that are not in the first message, the most important first. */
function createLaterFindings(state: IncidentState, shown: ReadonlySet<string>, first: string) {
  const judgement = judgeState(state);
  const facts = formatFacts(judgement, state);
  const { full } = rankEvidence(
    state,
    judgement,
    state.evidence.filter(({ id }) => !shown.has(id)),
  );
  return (tokens: number): { readonly text: string; readonly ids: readonly string[] } => {
    const { text, ids } =
      tokens === 0
        ? { text: '', ids: [] }
        : showPieces(full, { tokens, sees: new Map(), recorded: state.recorded, withoutComputed: true });
    const news = tokens === 0 || first.includes(facts) ? '' : `# Worked out by the program\n\n${facts}`;
    const found = text === '' ? '' : `# Evidence that was found since\n\n${text}`;
    return { text: [news, found].filter((part) => part !== '').join('\n\n'), ids };
  };
}

interface Sizing {
  readonly iteration: number;
  readonly key: string;
  readonly sentBefore: { readonly entries: number; readonly input: number };
}

/** As much evidence as the budget pays for. Recorded, since the remaining budget changes. */
async function fitSize(
  context: RunContext,
  begin: (tokens: number) => Dialogue,
  { iteration, key, sentBefore }: Sizing,
): Promise<number | null> {
  const { planner, prices } = context.models;
  const { maxOutputTokens, timeoutMs } = turnOptions(context, {
    number: iteration,
    name: 'incident',
    key,
    final: true,
  });
  const stepResult = await context.step<number>(`${key}/size`, {
    async run() {
      const { tokens: left, usd: money } = context.pool.remaining({ final: true });
      const isAffordable = (size: number): boolean => {
        const options = {
          maxOutputTokens: Math.min(maxOutputTokens, conclusionTokens),
          timeoutMs,
          sentBefore,
          ...(prices && { prices }),
        };
        const { tokens = 0, usd = 0 } = turnCost(planner, begin(size), options);
        return tokens <= left && usd <= money;
      };
      let size: number = Math.min(evidenceTokens.max, context.limits.context_tokens);
      while (size >= evidenceTokens.min && !isAffordable(size)) size = Math.floor(size * 0.8);
      return { value: size < evidenceTokens.min ? 0 : size };
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : null;
}
