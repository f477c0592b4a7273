/**
 * The text of an answer while it arrives. A model without native tools writes its calls as tags after the text. The
 * first tag and everything after it are not shown.
 */

const tag = /(?:^|\n)[^\S\n]*<call\b/;
/** The end of a piece that may become a tag. */
const partialTag = /(?:^|\n)[^\S\n]*(?:<|<c|<ca|<cal|<call)?$/;

/** The returned function takes the pieces in order, and returns the text to show for each. */
export function createTextFilter(): (piece: string) => string {
  let pending = '';
  let isStart = true;
  let over = false;
  return (piece) => {
    if (over) return '';
    pending += piece;
    const end = findTag(tag, pending, isStart);
    over = end >= 0;
    const pendingAt = over ? end : findTag(partialTag, pending, isStart);
    const shown = pendingAt < 0 ? pending : pending.slice(0, pendingAt);
    pending = over || pendingAt < 0 ? '' : pending.slice(pendingAt);
    if (shown !== '') isStart = false;
    return shown;
  };
}

/** The position at which a pattern begins. At position 0 it counts only if the reply begins there. */
function findTag(pattern: RegExp, text: string, isStart: boolean): number {
  return isStart
    ? (pattern.exec(text)?.index ?? -1)
    : Math.max(-1, (pattern.exec(`.${text}`)?.index ?? 0) - 1);
}
