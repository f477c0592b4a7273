/** Compares names as claims write them, `last error only`, with names in code, `r.lastErrorOnly`. */

import { splitName } from '../../words/words.ts';

/** A name with its owners, each by its parts in lower case. */
export type NamePath = readonly (readonly string[])[];

const splitLowerCase = (name: string): readonly string[] => splitName(name).map((part) => part.toLowerCase());

/** The name in a claim: in backticks as code writes it, or in plain words. Null for no name. */
export function parseClaimName(said: string): NamePath | null {
  const code = /^`(?<code>[^`]+)`$/u.exec(said)?.groups?.['code'];
  if (code !== undefined) return parseCodeName(code);
  const words = said.split(/\s+/u);
  if (words.length === 1 && /[_.]|\p{Ll}\p{Lu}/u.test(said)) return parseCodeName(said);
  if (words.some((word) => !/^[\p{L}\p{N}_-]+$/u.test(word) || nonNameWord.test(word))) return null;
  return [words.flatMap(splitLowerCase)];
}

/** Words that belong to no name. */
const nonNameWord =
  /^(?:of|in|on|for|with|and|or|no|not|the|an?|is|are|more|less|than|one|other|another|first|last|next|new|old|any|all|each|every|some|no|only|same|its|it|that|this|which|who|whose)$/i;

/** The parts of an expression that is a name or a call: `self.receivers`, `r.retryIf(err)`, `queue`; otherwise null. */
export function parseCodeName(code: string): NamePath | null {
  const bare = code
    .trim()
    .replace(/^[&*@]+/u, '')
    .replace(/\([^()]*\)$/u, '')
    .replace(/[?!]$/u, '');
  if (!/^[\p{L}_$#][\p{L}\p{N}_$#]*(?:(?:\.|\?\.|::|->)[\p{L}_$#][\p{L}\p{N}_$#]*)*$/u.test(bare))
    return null;
  const names = bare.split(/\?\.|\.|::|->/u).filter((name) => !/^(?:self|\$?this|cls|Self)$/.test(name));
  return names.length === 0 ? null : names.map(splitLowerCase);
}

/** Whether a claim's name is that of the code, with or without its owners. */
export function isSameName(said: NamePath, code: NamePath): boolean {
  const joinPath = (path: NamePath): string => path.map((name) => name.join(' ')).join(' ');
  const saidText = joinPath(said);
  return (
    code.some((_, at) => joinPath(code.slice(at)) === saidText) ||
    (code.length === 1 && joinPath(code).replace(/^is /, '') === saidText)
  );
}
