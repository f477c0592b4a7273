/** The answer of a tool, shortened to less than 800 tokens. */
import {
  type Citation,
  escapePath,
  type RunResult,
  repeatsOrder,
  shortLine,
  toPlainText,
} from '../../core/index.ts';
import { countTokens } from '../../model/index.ts';
import { resourceAddress, resourceNames } from './addresses.ts';

/** Maximum length of an answer. Tokens, as `countTokens` counts them. */
const answerTokens = 800;

/**
 * Whether a text is short enough. A token has at least one byte, so for short texts the slow token table is not loaded.
 */
export const isShortEnough = (text: string): boolean =>
  Buffer.byteLength(text) < answerTokens || countTokens(text) < answerTokens;

function citationLine({ id, path, start_line, end_line, provenance, status }: Citation): string {
  const problem = status === 'valid' ? '' : `, ${status}`;
  return `- [${id}] ${escapePath(path)}:${start_line}-${end_line} (${provenance}${problem})`;
}

function composeText(
  result: RunResult,
  answer: string,
  citations: readonly Citation[],
  debug: boolean,
): string {
  const { run_id, status, stop_reason, model, confidence } = result;
  const leftOut = result.citations.length - citations.length;
  return [
    answer,
    [
      '**Citations:**',
      ...(citations.length === 0 ? ['- none was confirmed'] : citations.map(citationLine)),
      ...(leftOut > 0 ? [`- and ${leftOut} more in ${resourceAddress(run_id, 'evidence.json')}`] : []),
    ].join('\n'),
    ...(result.unsupported.length === 0 ? [] : [`Unsupported claims: ${result.unsupported.length}.`]),
    ...formatOrders(result),
    `Run ${run_id}: ${status}, ${stop_reason}, model ${shortLine(model, 80)}${confidence === null ? '' : `, confidence ${confidence}`}.`,
    ...(debug ? [resourceNames.map((name) => resourceAddress(run_id, name)).join('\n')] : []),
  ].join('\n\n');
}

function formatOrders({ claims = [] }: RunResult): readonly string[] {
  const repeatingClaims = claims.filter(repeatsOrder);
  if (repeatingClaims.length === 0) return [];
  const flags = [...new Set(repeatingClaims.flatMap((claim) => claim.flags))];
  return [
    `Claims that repeat instructions of the material: ${repeatingClaims.length} (${flags.join(', ')}).`,
  ];
}

/** Shortens a text at the end of a word, and appends a mark. */
function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).replace(/\s+\S*$/, '')} … (shortened; see the report)`;
}

/**
 * Composes as much of the answer, and as many of its citations, as fit. `written`: converts the result to the text whose
 * length counts.
 */
export function fitAnswer<Shown>(
  citations: readonly Citation[],
  answer: string,
  toText: (shown: Shown) => string,
  build: (answer: string, citations: readonly Citation[]) => Shown,
): Shown {
  let [characters, count] = [answer.length, citations.length];
  for (;;) {
    const shownAnswer = build(shorten(answer, characters), citations.slice(0, count));
    if (isShortEnough(toText(shownAnswer))) return shownAnswer;
    // The list of citations is shortened first, down to five: the answer cites its evidence in the text, too.
    if (count > 5) count = Math.max(5, Math.floor(count * 0.7));
    else if (characters > 40) characters = Math.floor(characters * 0.9);
    else if (count > 0) count -= 1;
    else return shownAnswer;
  }
}

export function answerText(result: RunResult, debug: boolean): string {
  const answer = toPlainText(result.answer).trim();
  return fitAnswer(result.citations, answer, String, (short, citations) =>
    composeText(result, short, citations, debug),
  );
}
