/**
 * The words of an answer while it comes: models reply with a JSON object, of which the person sees the field
 * `text` alone. What doesn't look like one is shown as it is.
 */

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '',
  b: '',
  f: '',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

/** Takes the pieces in order; gives what each adds to the visible text. */
export function streamedText(): (piece: string) => string {
  let head = '';
  let state: 'before' | 'within' | 'over' = 'before';
  let pending = '';
  return (piece) => {
    let rest = piece;
    if (state === 'before') {
      head += piece;
      const found = /"text"\s*:\s*"/.exec(head);
      if (found === null) {
        if (!/^\s*(?:[{`]|$)/.test(head)) {
          const shown = head;
          head = '';
          return shown;
        }
        return '';
      }
      state = 'within';
      rest = head.slice(found.index + found[0].length);
    }
    // A second reply, where the first was of no use, stands in what the turn ends with.
    if (state === 'over') return '';
    let shown = '';
    pending += rest;
    for (;;) {
      const [token] = /^(?:\\u[0-9a-fA-F]{4}|\\[^u]|[^\\"])/s.exec(pending) ?? [];
      if (token === undefined) {
        if (pending.startsWith('"')) state = 'over';
        return shown;
      }
      pending = pending.slice(token.length);
      shown += token.startsWith('\\u')
        ? String.fromCharCode(Number.parseInt(token.slice(2), 16))
        : token.startsWith('\\')
          ? (escapes[token[1]!] ?? token[1]!)
          : token;
    }
  };
}
