/** The answer before it is checked: as a model wrote it, or composed of the evidence. */
import { countTokens, estimateTokens } from '../../../model/tokens/tokens.ts';
import { missingNamesText } from '../../missing-names.ts';
import { findRerankTurn } from '../actions/search-definitions.ts';
import { definitionItems } from '../lines/definition-blocks.ts';
import { extractLine, extracts, type QuotedLine } from '../lines/extract.ts';
import type { ResearchEnd, ResearchState } from '../state.ts';

/**
 * Maximum tokens of the answer, by an estimate that tends to be too high. The maximum leaves room for the citations
 * that follow.
 */
const maxTokens = 700;
const maxFiles = 6;

/** The first sentence of an answer without a model. */
const unaidedLead =
  'No model was used: these are the lines that search found most telling, not an explanation:';

/** The first sentence if a model put the definitions in order. */
const rerankedLead =
  'No model wrote this: a model put definitions that search found in order, and these are the lines in them that seem most telling, not an explanation:';

export interface ComposedAnswer {
  readonly text: string;
  /** The program's own sentences in the answer, which are not checked as claims. */
  readonly framing: readonly string[];
  /** True if the answer says that nothing was found. */
  readonly nothing: boolean;
}

export interface ComposeOptions {
  readonly scope?: string | undefined;
  /** The words of the question that occur nowhere, if the material can't answer the question; otherwise null. */
  readonly nowhere?: readonly string[] | null;
  /** The words of the question that no file has, if the question may be answerable. */
  readonly absent?: readonly string[];
}

export function composeAnswer(
  state: ResearchState,
  end: ResearchEnd,
  { scope, nowhere, absent = [] }: ComposeOptions = {},
): ComposedAnswer {
  // The run was refused before its first step.
  if (state.missing.length > 0 && state.turns.length === 0 && end.answer === null && end.trouble === null) {
    const text = missingNamesText(state.missing, scope);
    return { text, framing: [text], nothing: true };
  }
  if (isUnaided(end) && nowhere != null) {
    const text = `${[unaidedNothing, ...joinWords(nowhere)].join(' ')} ${askAgain}`;
    return { text, framing: [text], nothing: true };
  }
  return end.answer === null
    ? extractAnswer(state, end.trouble, absent)
    : { text: end.answer.trim(), framing: [], nothing: false };
}

/** Whether the run ended without a model and without trouble. Then the lines that search found are the whole answer. */
export const isUnaided = ({ answer, trouble }: ResearchEnd): boolean => answer === null && trouble === null;

const unaidedNothing = 'No model was used. Nothing was found that bears on the question as a whole.';
const askAgain = 'Ask in the words of the material, or with a model.';

const joinWords = (words: readonly string[]): readonly string[] =>
  words.length === 0
    ? []
    : [`${words.map((word) => `"${word}"`).join(', ')} ${words.length === 1 ? 'stands' : 'stand'} nowhere.`];

/** Maximum number of absent words named before the lines. */
const maxAbsent = 4;

function extractAnswer(
  state: ResearchState,
  trouble: string | null,
  absent: readonly string[],
): ComposedAnswer {
  const missing = joinWords(absent.slice(0, maxAbsent));
  const opening =
    trouble === null
      ? findRerankTurn(state.turns) === undefined
        ? unaidedLead
        : rerankedLead
      : `${trouble} Until then, these lines were found most telling, by search alone:`;
  const lead = [...missing, opening].join(' ');
  const framing = [...missing, opening];
  const extractsByFile = extracts(state, maxFiles).filter((lines) => lines.length > 0);
  if (extractsByFile.length === 0) {
    const text = `${trouble ?? 'No model was used.'} Nothing was found that bears on the question.`;
    return { text, framing: [text], nothing: trouble === null };
  }
  const definitions = withDefinitions(state, extractsByFile);
  if (definitions !== null) return { text: `${lead}\n\n${definitions}`, framing, nothing: false };
  // The best line of each file comes first, then the second lines, so that the least telling lines are left out if not
  // all fit.
  const chosen: QuotedLine[][] = extractsByFile.map(() => []);
  let remainingTokens = maxTokens - estimateTokens(lead);
  for (let nth = 0; nth < 3; nth += 1)
    for (const [rank, lines] of extractsByFile.entries()) {
      const extract = lines.toSorted((a, b) => b.line.score - a.line.score)[nth];
      if (extract === undefined) continue;
      remainingTokens -= estimateTokens(`${extractLine(extract, state.question)}\n`);
      if (remainingTokens >= 0) chosen[rank]?.push(extract);
    }
  const lines = chosen
    .flatMap((lines) => lines.sort((a, b) => a.line.line - b.line.line))
    .map((extract) => extractLine(extract, state.question));
  const text = `${lead}\n\n${lines.join('\n')}`;
  return { text, framing, nothing: false };
}

/**
 * With the first sentence, the citations and the run's id, the caller gets fewer than 800 tokens. `least` fits in any
 * case, even at three bytes per token.
 */
const answerRoom = { tokens: 575, count: countTokens, most: 2_820, least: 1_780 };
/** Maximum number of files quoted beside those with definitions. */
const maxOtherFiles = 2;

/**
 * The best definitions and, if there is room, one line each for the best files without a definition. Null if
 * definitions were not searched.
 */
function withDefinitions(state: ResearchState, found: readonly (readonly QuotedLine[])[]): string | null {
  const { items, paths } = definitionItems(state, answerRoom);
  if (items.length === 0) return null;
  let remainingBytes = answerRoom.least - Buffer.byteLength(items.join('\n'));
  const lines = found
    .flatMap((extracts) => extracts.toSorted((a, b) => b.line.score - a.line.score).slice(0, 1))
    .filter(({ evidence }) => !paths.has(evidence.file_path))
    .slice(0, maxOtherFiles)
    .map((extract) => extractLine(extract, state.question))
    .filter((line) => {
      remainingBytes -= Buffer.byteLength(line) + 1;
      return remainingBytes >= 0;
    });
  return [...items, ...lines].join('\n');
}
