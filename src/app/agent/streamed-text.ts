/**
 * The text of an answer while it arrives. A model without native tools writes its calls as tags after the text. The
 * first tag and everything after it are not shown.
 */

const tag = /(?:^|\n)[^\S\n]*<call\b/;
/** The end of a piece that may become a tag. */
const halfTag = /(?:^|\n)[^\S\n]*(?:<|<c|<ca|<cal|<call)?$/;

/** The returned function takes the pieces in order, and returns the text to show for each. */
export function readStreamedText(): (piece: string) => string {
  let pending = '';
  let isStart = true;
  let over = false;
  return (piece) => {
    if (over) return '';
    pending += piece;
    const end = indexIn(tag, pending, isStart);
    over = end >= 0;
    const held = over ? end : indexIn(halfTag, pending, isStart);
    const shown = held < 0 ? pending : pending.slice(0, held);
    pending = over || held < 0 ? '' : pending.slice(held);
    if (shown !== '') isStart = false;
    return shown;
  };
}

/** The position at which a pattern begins. At position 0 it counts only if the reply begins there. */
function indexIn(pattern: RegExp, text: string, isStart: boolean): number {
  return isStart
    ? (pattern.exec(text)?.index ?? -1)
    : Math.max(-1, (pattern.exec(`.${text}`)?.index ?? 0) - 1);
}
