/** Finds the new results that are not shown in full: those that repeat an earlier one, and those that don't fit. */
import { unquoteText } from '../../core/index.ts';
import { countTokens, type Dialogue, estimateTokens } from '../../model/index.ts';
import type { AddedText, Message } from '../history/messages.ts';
import { formatResult } from '../history/planner-dialogue.ts';

type Result = Extract<Message, { kind: 'tool' }>;

/** The minimum shown of a result. Tokens. */
const minShownTokens = 300;
/** Room for the notice on a cut result. Tokens. */
const noticeTokens = 80;

/** Results below this length are not replaced, since the notice would be as long. Characters. */
const minRepeatedLength = 400;

/**
 * Finds results that repeat an earlier one that was shown in full. Maps the id of each call to 0, the number of
 * characters to show.
 */
export function findRepeats(results: readonly Result[], { entries }: Dialogue): AddedText['shown'] {
  const shownTexts = new Set(
    entries.flatMap((entry) => (entry.kind === 'results' ? entry.results.map(({ text }) => text) : [])),
  );
  const repeats = results.filter(({ text }) => {
    const isKnown = text.length >= minRepeatedLength && shownTexts.has(text);
    shownTexts.add(text);
    return isKnown;
  });
  return Object.fromEntries(repeats.map(({ call }) => [call, 0]));
}

/** For each result that must be cut, the number of characters shown. */
export function fitResults(results: readonly Result[], { room, perGuess }: Room): AddedText['shown'] {
  // The estimate is quick and errs on the high side.
  if (results.reduce((sum, { text }) => sum + estimateTokens(text), 0) * perGuess <= room) return {};
  const sized = results.map((result) => ({ result, size: countTokens(result.text) }));
  if (sized.reduce((sum, { size }) => sum + size, 0) <= room) return {};
  return Object.fromEntries(
    computeShares(sized, room).map(({ result, share }) => [
      result.call,
      Math.max(1, fitCharacters(result, Math.max(minShownTokens, share))),
    ]),
  );
}

export interface Room {
  /** The room for all of them, in tokens. */
  readonly room: number;
  /** The ratio of the tokens that the provider reported to those that were estimated. */
  readonly perGuess: number;
}

interface SizedResult {
  readonly result: Result;
  readonly size: number;
}

/** The results that exceed their share, each with that share: an equal part, plus what shorter results leave over. */
function computeShares(
  results: readonly SizedResult[],
  room: number,
): readonly (SizedResult & { readonly share: number })[] {
  const cutResults: (SizedResult & { readonly share: number })[] = [];
  let remaining = room;
  for (const [nth, sizedResult] of results.toSorted((a, b) => a.size - b.size).entries()) {
    const share = Math.floor(remaining / (results.length - nth));
    remaining -= Math.min(sizedResult.size, share);
    if (sizedResult.size > share) cutResults.push({ ...sizedResult, share });
  }
  return cutResults;
}

function fitCharacters(result: Result, tokens: number): number {
  const quotedText = unquoteText(result.text);
  const quotedTokens = Math.max(0, tokens - noticeTokens);
  let length = Math.floor((quotedText.length * quotedTokens) / countTokens(result.text));
  // The cut part may have more tokens per character than the whole.
  while (length > 0 && countTokens(formatResult(result, length)) > tokens) length = Math.floor(length * 0.8);
  return length;
}
