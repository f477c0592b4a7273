/**
 * The words of an answer while it comes. A model without tools of its own writes its calls behind its words, in tags:
 * from the first of them on nothing is shown.
 */

const tag = /(?:^|\n)[^\S\n]*<call\b/;
/** What may yet become one. */
const halfTag = /(?:^|\n)[^\S\n]*(?:<|<c|<ca|<cal|<call)?$/;

/** Takes the pieces in order; gives what each adds to the visible text. */
export function readStreamedText(): (piece: string) => string {
  let pending = '';
  let isStart = true;
  let over = false;
  return (piece) => {
    if (over) return '';
    pending += piece;
    const end = at(tag, pending, isStart);
    over = end >= 0;
    const held = over ? end : at(halfTag, pending, isStart);
    const shown = held < 0 ? pending : pending.slice(0, held);
    pending = over || held < 0 ? '' : pending.slice(held);
    if (shown !== '') isStart = false;
    return shown;
  };
}

/** Where a pattern begins; at the very beginning only where the reply does. */
function at(pattern: RegExp, text: string, isStart: boolean): number {
  return isStart
    ? (pattern.exec(text)?.index ?? -1)
    : Math.max(-1, (pattern.exec(`.${text}`)?.index ?? 0) - 1);
}
