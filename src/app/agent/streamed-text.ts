/**
 * The text of an answer while it arrives. A model without native tools writes its calls as tags after the text. The
 * first tag and everything after it are not shown.
 */

const tag = /(?:^|\n)[^\S\n]*<call\b/;
/** Matches the beginning of a possible tag at the end of the text so far. */
const partialTag = /(?:^|\n)[^\S\n]*(?:<|<c|<ca|<cal|<call)?$/;

/** Returns a function that takes the pieces in order and returns the text to show after each. */
export function createTextFilter(): (piece: string) => string {
  let pending = '';
  let isStart = true;
  let hasEnded = false;
  return (piece) => {
    if (hasEnded) return '';
    pending += piece;
    const tagStart = findTag(tag, pending, isStart);
    hasEnded = tagStart >= 0;
    const pendingAt = hasEnded ? tagStart : findTag(partialTag, pending, isStart);
    const shownText = pendingAt < 0 ? pending : pending.slice(0, pendingAt);
    pending = hasEnded || pendingAt < 0 ? '' : pending.slice(pendingAt);
    if (shownText !== '') isStart = false;
    return shownText;
  };
}

/** The position at which a pattern begins. At position 0 it counts only if the reply begins there. */
function findTag(pattern: RegExp, text: string, isStart: boolean): number {
  return isStart
    ? (pattern.exec(text)?.index ?? -1)
    : Math.max(-1, (pattern.exec(`.${text}`)?.index ?? 0) - 1);
}
