/** What lines of code must hold for one name to return, throw, call, take or extend another. */
import { type Definition, depthOf } from './definition.ts';
import { dense } from './normal.ts';
import type { Source } from './source.ts';

export interface Relation {
  readonly verb: string;
  readonly holds: (object: string, scope: Scope, source: Source) => boolean;
}

/** The lines in which the subject of the claim does what it does. */
export interface Scope {
  readonly definitions: readonly Definition[];
  readonly segments: readonly number[];
}

export const relations: readonly Relation[] = [
  {
    verb: 'returns?|returning|returned|yields?|gives? back|resolves? to|evaluates? to',
    holds: (object, scope, source) =>
      scope.definitions.some(({ rest }) => holdsText(rest, object)) ||
      isStated(object, /\breturn\b|\byield\b|=>|\bresolve\(/, scope, source) ||
      isCommented(object, /\b(?:returns?|yields?)\b/i, scope, source) ||
      isLastOfBody(object, scope, source),
  },
  {
    verb: 'throws?|throwing|thrown|raises?|raising|raised|panics? with|rejects? with|fails? with',
    holds: (object, scope, source) =>
      scope.definitions.some(({ head }) => holdsText(/\bthrows\b.*/.exec(head)?.[0] ?? '', object)) ||
      isStated(
        object,
        /\bthrow\b|\braise\b|\bpanic\b|\breject\(|\bErr\(|\bbail\b|\babort\b|\bfail\w*\(/i,
        scope,
        source,
      ) ||
      isCommented(object, /\b(?:rais(?:es?|ed)|throws?|thrown)\b/i, scope, source) ||
      (/err(?:or)?/i.test(object) && isStated(object, /\breturn\b/, scope, source)),
  },
  {
    verb: 'calls?|calling|called|invokes?|invoking|invoked|delegates to|awaits?',
    holds: (object, scope, source) => isCalled(object, scope, source),
  },
  {
    verb: 'takes?|taking|accepts?|accepting|receives?|receiving',
    holds: (object, { definitions, segments }, source) =>
      definitions.length === 0 ||
      definitions.some(({ parameters, head }) =>
        parameters === null
          ? /\b(?:class|struct|interface|type)\b/.test(head)
          : holdsText(parameters, object),
      ) ||
      segments.some((at) => !source.segments[at]!.isCode && isDocumented(source.segments[at]!.text, object)),
  },
  {
    verb: 'extends?|extending|inherits from|subclasses|implements|is a subclass of',
    holds: (object, { definitions }) =>
      definitions.length === 0 || definitions.some(({ head }) => holdsText(head, object)),
  },
];

export const isPlain = (object: string): boolean => /^[\p{L}\p{N}_$.:#>-]+(?:\(\))?$/u.test(object);

const escaped = (name: string): string => name.replace(/[$.*+?^{}()|[\]\\]/g, '\\$&');

function holdsText(text: string, object: string): boolean {
  if (!isPlain(object)) return dense(text).includes(dense(object));
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped(object)}(?![\\p{L}\\p{N}_$])`, 'u').test(text);
}

/** `:param size: …`, `@param {Size} size`, `size (int): …`: what a comment names as a parameter. */
const isDocumented = (text: string, object: string): boolean =>
  new RegExp(
    `(?:^|[:@](?:param|arg|keyword)\\b[^:]*\\s)[-*\\s]*${escaped(object)}\\s*(?::|\\(|-\\s|$)`,
    'u',
  ).test(text);

/** Each place of the object in the text. */
function placesIn(text: string, object: string): readonly number[] {
  const name = /^[\p{L}\p{N}_$.:]+/u.exec(object)?.[0] ?? object;
  const places: number[] = [];
  for (let at = text.indexOf(name); at !== -1 && name !== ''; at = text.indexOf(name, at + 1))
    places.push(at);
  return places;
}

/** A statement with this word holds the object behind it; or one with a variable that was set to the object. */
function isStated(object: string, word: RegExp, { segments }: Scope, source: Source): boolean {
  const variables = new Set<string>();
  for (const at of segments) {
    const one = source.segments[at]!;
    if (!holdsText(one.text, object) && !holdsText(statementAt(at, source), object)) continue;
    if (!one.isCode) continue;
    const statement = statementAt(at, source);
    const found = word.exec(statement);
    const end = found === null ? 0 : found.index + found[0].length;
    if (
      found !== null &&
      placesIn(statement, object).some((place) => place >= end && isValue(statement.slice(end, place)))
    )
      return true;
    const set = /(?:^|\s)([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]+)?:?=(?![=>])\s*(.*)$/u.exec(statement);
    if (set !== null && (isWhole(set[2]!, object) || /^(?:await\s+)?new\s/.test(set[2]!)))
      variables.add(set[1]!);
  }
  return [...variables].some((name) =>
    segments.some((at) => {
      const { text, isCode } = source.segments[at]!;
      return (
        isCode &&
        word.test(text) &&
        new RegExp(
          `(?:return|throw|raise|yield|=>)\\s*\\(?\\s*&?${name.replace(/[$]/g, '\\$&')}\\s*\\)?\\s*;?\\s*$`,
          'u',
        ).test(text)
      );
    }),
  );
}

/** A comment or docstring says it in words. */
const isCommented = (object: string, verb: RegExp, { segments }: Scope, source: Source): boolean =>
  segments.some((at) => {
    const { isCode, text } = source.segments[at]!;
    const found = isCode ? null : verb.exec(text);
    return found !== null && holdsText(text.slice(found.index, found.index + 80), object);
  });

/** What follows is a value of the statement, and not its condition or an argument of another call. */
function isValue(before: string): boolean {
  if (/\b(?:if|unless|while|until|when)\b/.test(before)) return false;
  let left = before;
  // Brackets that are closed again hold other values.
  for (let next = ''; next !== left; ) [next, left] = [left, left.replace(/\([^()]*\)|\[[^[\]]*\]/g, '')];
  return [...left.matchAll(/([\p{L}\p{N}_$.:!?]*)\(/gu)].every(([, callee]) => wrapper.test(callee!));
}

/** Nothing, a keyword, or what only wraps the value. */
const wrapper =
  /^(?:|return|yield|await|throw|raise|not|and|or|in|Ok|Err|Some|Just|Left|Right|Box::new|Rc::new|Arc::new|Promise\.(?:resolve|reject)|resolve|reject|tuple|list|dict|set|panic!?|bail!?|fail\w*|abort)$/;

/** The value of a variable is the object, or a call of it. */
const isWhole = (value: string, object: string): boolean => {
  const bare = dense(value.replace(/^(?:await|new|&)\s*/, '').replace(/;\s*$/, ''));
  const own = dense(object.replace(/\(\)$/, ''));
  return bare === own || (bare.startsWith(`${own}(`) && bare.endsWith(')'));
};

/** The line with those before it that leave a bracket open. */
function statementAt(at: number, { segments }: Source): string {
  let text = segments[at]!.text;
  for (let before = at - 1; before >= at - 12 && before >= 0; before -= 1) {
    const one = segments[before]!;
    if (!one.isCode || one.source !== segments[at]!.source) break;
    const joined = `${one.text} ${text.trim()}`;
    if (
      depthOf(one.text) <= 0 ||
      depthOf(
        segments
          .slice(before, at)
          .map((line) => line.text)
          .join(' '),
      ) <= 0
    )
      break;
    text = joined;
  }
  return text;
}

const lastIsValue = /\.(?:rs|rb|kt|kts|scala|ex|exs|hs|ml|clj|nix|jl|r|el|lisp|fs|groovy|pl)$/i;

/** In languages where the last expression of a body is its value. */
function isLastOfBody(object: string, { segments }: Scope, source: Source): boolean {
  return segments.some((at) => {
    const one = source.segments[at]!;
    if (!one.isCode || !lastIsValue.test(source.paths[one.source]!)) return false;
    const statement = statementAt(at, source);
    return (
      holdsText(statement, object) &&
      !/[;{]\s*$|=(?![=>])|^\s*(?:raise|let|for|loop)\b/.test(statement) &&
      /^\s*(?:\}|end\b|\)|else\b|\},?)/.test(source.segments[at + 1]?.text ?? '}')
    );
  });
}

const withoutBrackets = /\.(?:rb|sh|bash|zsh|hs|ml|nix|ex|exs|lua|pl|r|fs|clj|el|coffee)$/i;

function isCalled(object: string, { segments, definitions }: Scope, source: Source): boolean {
  const heads = new Set(definitions.map(({ segments: own }) => own[0]!));
  const name = escaped(object);
  const call = new RegExp(
    `(?<![\\p{L}\\p{N}_$])${name}(?:!|\\?\\.|::<[^>]*>|<[^()]*>)?\\s*(?:\\(|\`|\\{$)`,
    'u',
  );
  return segments.some((at) => {
    const { text, isCode, source: of } = source.segments[at]!;
    if (heads.has(at) && !/=>|\breturn\b|[{:].*\(/.test(text)) return false;
    if (!isCode) return holdsText(text, object) && /\b(?:call|invoke|delegat|await)\w*/i.test(text);
    if (!isPlain(object)) return dense(text).includes(dense(object));
    return call.test(text) || (withoutBrackets.test(source.paths[of]!) && holdsText(text, object));
  });
}
