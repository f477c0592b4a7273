/** Where the lines say otherwise: another value under the same name, or the same sentence turned about. */
import { type Figure, matchFigure } from './figures.ts';
import type { Reading } from './reading.ts';
import type { Segment, Source } from './source.ts';
import { isSpared, oppositesOf } from './turns.ts';
import { comparable, isGeneric, isIdle, partsOf } from './words.ts';

const valueName =
  /(?<name>[\p{L}_$][\p{L}\p{N}_$.-]*(?: [\p{L}_][\p{L}\p{N}_-]*){0,3}?)["'`\])]*(?:\s*:\s*[\p{L}\p{N}_.<>[\]|]+(?=\s*=))?\s*(?::=|=>|=|:|\||\s(?:is|of|was|are)(?: set to| limited to)?)\s*["'([]*$/u;

/** Names whose words are these, with a value that is written for them. */
interface Bound {
  readonly parts: readonly string[];
  readonly name: string;
  readonly figure: Figure;
  readonly segment: Segment;
}

const fluff = new Set(
  [
    'default',
    'set',
    'value',
    'initial',
    'current',
    'the',
    'a',
    'const',
    'let',
    'var',
    'int',
    'self',
    'this',
    'static',
    'final',
    'public',
    'private',
    'export',
    'number',
    'float',
  ].map(comparable),
);

function boundIn(source: Source): readonly Bound[] {
  return source.segments.flatMap((segment) =>
    segment.figures.flatMap((figure): readonly Bound[] => {
      const name = valueName.exec(segment.text.slice(0, figure.at))?.groups?.['name'];
      if (name === undefined) return [];
      const parts = partsOf(name.split('.').at(-1)!)
        .map(comparable)
        .filter((part) => !fluff.has(part) && !isIdle(part));
      return parts.length === 0 ? [] : [{ parts, name, figure, segment }];
    }),
  );
}

/** The words that a claim ties to a figure: `timeout is 30`, `a timeout of 30 s`, `a 30-second timeout`. */
function namesOf(reading: Reading, figure: Figure): ReadonlySet<string> {
  const { text } = reading;
  const before =
    text
      .slice(0, figure.at)
      .split(/[,;:()]\s|\s(?:and|but|while|whereas|or)\s/)
      .at(-1) ?? '';
  const behind =
    text.slice(figure.end).split(/[,;:().]|\s(?:and|but|while|for|in|when|if|or|to|by)\s/)[0] ?? '';
  const near = [
    ...(before.match(/[\p{L}\p{N}_$]+/gu) ?? []).slice(-8),
    ...(behind.match(/[\p{L}\p{N}_$]+/gu) ?? []).slice(0, 2),
  ];
  return new Set(near.flatMap((word) => partsOf(word).map(comparable)).filter((word) => !fluff.has(word)));
}

/** What somebody may set, or would, is not what the lines give. */
const supposed =
  /\b(?:if|when|unless|set(?:ting)?|pass(?:ing|ed)?|with|override[sn]?|changing|change|by|for|could|would|should)\b/i;

const tie =
  /(?:\b(?:is|are|was|were|of|to|at|as|be|equals?|=|:|has|have|holds?|default(?:s|ed|ing)?|set|limit(?:s|ed)?|only|about|up to|at most|at least|than|by|exactly|value|seconds?|for|after|every|within)|=|:)\s*["'(`]*(?:an?\s|the\s|about\s|exactly\s)?["'(`]*$/i;

/** The value that the lines give to what the claim gives another; null where they give none. */
export function otherValue(reading: Reading, figure: Figure, source: Source): string | null {
  const names = namesOf(reading, figure);
  const before = reading.text.slice(0, figure.at);
  if (supposed.test(before.split(/[.;]\s/).at(-1)!)) return null;
  const isTied = tie.test(before) || /^[\s-]*\p{L}/u.test(reading.text.slice(figure.end));
  if (!isTied || names.size === 0) return null;
  const own = boundIn(source).filter(({ parts }) => parts.every((part) => names.has(part)));
  const isGiven = ({ figure: given, segment }: Bound): boolean =>
    matchFigure(figure, given, segment.text.slice(0, given.at)) !== null;
  if (own.length === 0 || own.some(isGiven)) return null;
  const said = own.find(
    ({ figure: given }) =>
      given.dimension === figure.dimension || given.dimension === null || figure.dimension === null,
  );
  // What stands in prose elsewhere may be said of another time, or of another thing of that name.
  const isProse = !said?.segment.isCode && !/^\s*\|/.test(said?.segment.text ?? '');
  if (
    isProse &&
    source.segments.some(({ figures }) => figures.some((given) => matchFigure(figure, given) !== null))
  )
    return null;
  // A figure of its own that the same line holds is not denied by another in it.
  if (said === undefined || said.segment.figures.some((given) => matchFigure(figure, given) !== null))
    return null;
  return `the lines give "${said.name}" as ${said.figure.text}`;
}

/** Of a number in words: the same noun with another number. */
export function otherCount(reading: Reading, figure: Figure, source: Source): string | null {
  const noun = /^[\s-]+(?:\p{L}+\s){0,1}?(\p{L}{3,})/u.exec(reading.text.slice(figure.end))?.[1];
  if (noun === undefined || isIdle(noun)) return null;
  const base = comparable(noun);
  const counted = source.segments.flatMap(({ text, figures, isCode }) =>
    isCode
      ? []
      : figures.filter((given) => {
          const next = /^[\s-]+(?:\p{L}+\s){0,1}?(\p{L}{3,})/u.exec(text.slice(given.end))?.[1];
          return next !== undefined && comparable(next) === base;
        }),
  );
  if (counted.length === 0 || counted.some((given) => matchFigure(figure, given) !== null)) return null;
  return `the lines have ${counted[0]!.text} ${noun}`;
}

const literal = /\b(true|false|None|null|nil|undefined)\b/gi;

/** `x defaults to true` where the lines have `x = false`. */
export function otherLiteral(reading: Reading, source: Source): string | null {
  const literals = [...reading.text.matchAll(literal)];
  for (const match of literals) {
    const said = match[1]!.toLowerCase();
    if (said !== 'true' && said !== 'false') continue;
    const before = reading.text.slice(0, match.index).replace(/["'`(]+$/, '');
    if (supposed.test(before.split(/[.;,]\s/).at(-1)!)) continue;
    if (!/\b(?:is|to|as|be|=|:|are|was|of)\s*$/i.test(before) && !/[=:]\s*$/.test(before)) continue;
    const names = new Set(
      (before.match(/[\p{L}\p{N}_$]+/gu) ?? []).slice(-6).flatMap((word) => partsOf(word).map(comparable)),
    );
    const given = source.segments.flatMap(({ text }) =>
      [
        ...text.matchAll(
          /([\p{L}_$][\p{L}\p{N}_$]*)["']?(?:\s*:\s*[\p{L}_]+(?=\s*=))?\s*(?:=|:)\s*(true|false)\b/giu,
        ),
      ].flatMap(([, name, value]) => {
        const parts = partsOf(name!)
          .map(comparable)
          .filter((part) => !fluff.has(part));
        return parts.length > 0 && parts.every((part) => names.has(part))
          ? [{ name: name!, value: value! }]
          : [];
      }),
    );
    if (given.length > 0 && given.every(({ value }) => value.toLowerCase() !== said))
      return `the lines set "${given[0]!.name}" to ${given[0]!.value}`;
  }
  return null;
}

const plainWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_$]+(?:[.'-][\p{L}\p{N}_$]+)*/gu) ?? [])
    .map((word) => word.replace(/n't$/, ' not'))
    .flatMap((word) => word.split(' '))
    .filter((word) => word !== '');

const negating = new Set([
  'not',
  'no',
  'never',
  'none',
  'nothing',
  'without',
  'cannot',
  'neither',
  'nor',
  'nicht',
  'kein',
  'keine',
  'nie',
  'ohne',
]);
const counting = new Set([
  'all',
  'every',
  'each',
  'some',
  'any',
  'most',
  'few',
  'many',
  'several',
  'always',
  'never',
  'sometimes',
  'often',
  'rarely',
  'only',
  'both',
  'none',
  'usually',
  'no',
  'one',
]);

/** A sentence of the lines that is the claim but for a turn: a negation, an opposite, who and whom. */
export function turnedAbout(reading: Reading, source: Source): string | null {
  const claim = plainWords(reading.text);
  if (claim.length < 4) return null;
  for (const { text, isCode } of source.segments) {
    if (isCode && !/\p{L}{3,} \p{L}{2,} \p{L}{2,}/u.test(text)) continue;
    const line = plainWords(text);
    const pairs = common(claim, line);
    if (pairs.length / claim.length < 0.4) continue;
    const why = turn(claim, line, pairs);
    if (why !== null) return why;
  }
  return null;
}

function turn(
  claim: readonly string[],
  line: readonly string[],
  pairs: readonly (readonly [number, number])[],
): string | null {
  const [first, last] = [pairs[0]!, pairs.at(-1)!];
  const inLine = new Set(pairs.map(([, at]) => at));
  const inClaim = new Set(pairs.map(([at]) => at));
  const own = claim.flatMap((word, at) => (inClaim.has(at) ? [] : [{ word, at }]));
  const given = line.flatMap((word, at) =>
    !inLine.has(at) && at >= first[1] - 1 && at <= last[1] + 1 ? [{ word, at }] : [],
  );
  const plain = (words: readonly { word: string }[]): readonly string[] => words.map(({ word }) => word);
  const [ours, theirs] = [plain(own), plain(given)];
  const said = (words: readonly string[]): readonly string[] =>
    words.filter((word) => !isIdle(word) && !negating.has(word) && !counting.has(word));
  const isClose = pairs.length / claim.length >= 0.75;
  for (const word of ours) {
    const other = oppositesOf(word).find((one) => theirs.includes(one));
    if (other !== undefined && isClose && said(ours).length <= 2 && said(theirs).length <= 3)
      return `the lines say "${other}" where the claim says "${word}"`;
  }
  const [negated, denied] = [
    ours.filter((word) => negating.has(word)).length,
    theirs.filter((word) => negating.has(word)).length,
  ];
  const rest = [said(ours).map(comparable), said(theirs).map(comparable)] as const;
  const isSame = rest[0].every((word) => rest[1].includes(word)) && rest[1].length - rest[0].length <= 2;
  if (negated % 2 !== denied % 2 && isSame && isClose)
    return negated > denied ? 'the lines say so without the negation' : 'the lines say that it is not so';
  const [count, counted] = [
    ours.find((word) => counting.has(word)),
    theirs.find((word) => counting.has(word)),
  ];
  if (count !== undefined && counted !== undefined && count !== counted && isSame && isClose)
    return `the lines say "${counted}" where the claim says "${count}"`;
  // The same words, two of them in each other's place.
  const content = (words: readonly string[]): readonly string[] =>
    words.filter((word) => !isIdle(word) && !isGeneric(word));
  const moved = content(ours).filter((word) => line.includes(word));
  if (moved.length > 0 && content(ours).every((word) => line.includes(word)) && isExchanged(claim, line))
    return 'the lines have the parties the other way round';
  return null;
}

/** Words that stand once in both, of which two runs have changed places, whatever stands between them. */
function isExchanged(claim: readonly string[], line: readonly string[]): boolean {
  const isOnce = (word: string, words: readonly string[]): boolean =>
    words.includes(word) && words.indexOf(word) === words.lastIndexOf(word);
  const order = claim
    .filter((word) => !isIdle(word) && isOnce(word, claim) && isOnce(word, line))
    .map((word) => line.indexOf(word))
    .slice(0, 14);
  if (order.length < 3 || isRising(order)) return false;
  const size = order.length;
  for (let from = 0; from < size; from += 1)
    for (let end = from + 3; end <= size; end += 1)
      for (let a = from + 1; a < end - 1; a += 1)
        for (let b = a + 1; b < end; b += 1) {
          const [one, between, two] = [order.slice(from, a), order.slice(a, b), order.slice(b, end)];
          if (isRising([...order.slice(0, from), ...two, ...between, ...one, ...order.slice(end)]))
            return true;
        }
  return false;
}

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((value, at) => at === 0 || value > numbers[at - 1]!);

/** The longest words in common, in order: places in the claim and in the line. */
function common(claim: readonly string[], line: readonly string[]): readonly (readonly [number, number])[] {
  const width = line.length + 1;
  const table = new Uint16Array((claim.length + 1) * width);
  for (let a = claim.length - 1; a >= 0; a -= 1)
    for (let b = line.length - 1; b >= 0; b -= 1)
      table[a * width + b] =
        claim[a] === line[b]
          ? table[(a + 1) * width + b + 1]! + 1
          : Math.max(table[(a + 1) * width + b]!, table[a * width + b + 1]!);
  const pairs: (readonly [number, number])[] = [];
  for (let a = 0, b = 0; a < claim.length && b < line.length; ) {
    if (claim[a] === line[b]) pairs.push([a++, b++]);
    else if (table[(a + 1) * width + b]! >= table[a * width + b + 1]!) a += 1;
    else b += 1;
  }
  return pairs;
}

const presence =
  /\b(?:(?:does|do|did|is|are|was)(?: not|n't)|never)\s+(?:ever\s+)?(?:calls?|called|calling|uses?|used|using|imports?|imported|raises?|raised|throws?|thrown|contains?|mentions?|mentioned|includes?|included|reads?|writes?|sets?|invokes?|defines?|defined)\s+(?:the\s+|an?\s+)?[`"']*$/i;
const condition =
  /\b(?:if|when|unless|until|before|after|while|once|except|yet|any ?more|directly|itself|twice|again|only|for|in|during|on|because|since|but|where|whether)\b/i;

/** `does not call x` where the lines call it. */
export function deniedThough(reading: Reading, source: Source): string | null {
  if (condition.test(reading.text.replace(/`[^`]*`/g, ''))) return null;
  for (const term of reading.terms) {
    if (term.kind !== 'name' || !presence.test(reading.text.slice(0, term.at))) continue;
    const name = term.text
      .replace(/\(\)$/, '')
      .split(/\.|::|->/)
      .at(-1)!;
    const places = source.names.get(name) ?? [];
    const line = places
      .map((at) => source.segments[at]!)
      .find(({ isCode, text }) => isCode && !isDefinition(text, name));
    if (line !== undefined) return `the lines hold ${name}: ${line.text.trim().slice(0, 80)}`;
  }
  return null;
}

const isDefinition = (text: string, name: string): boolean =>
  new RegExp(
    `\\b(?:def|class|func|function|fn|interface|struct|trait|enum|type)\\s+(?:\\([^)]*\\)\\s*)?${name.replace(/[$]/g, '\\$&')}\\b`,
  ).test(text);

/** `a calls b` where the lines are those of b, and call a. */
export function calledThough(reading: Reading, source: Source): string | null {
  const names = reading.terms.filter(({ kind }) => kind === 'name');
  for (let index = 1; index < names.length; index += 1) {
    const [a, b] = [names[index - 1]!, names[index]!];
    const between = reading.text.slice(a.end, b.at);
    const active =
      /^\s*(?:then |directly |also |first |itself )?(?:calls?|invokes?|delegates to|uses|runs|instantiates|awaits)\s+(?:the |an? )?(?:method |function )?[`"']*$/i.test(
        between,
      );
    const passive =
      /^\s*(?:is|are|gets|was)\s+(?:called|invoked|used|run|awaited)\s+(?:by|from|in|inside|within)\s+(?:the )?[`"']*$/i.test(
        between,
      );
    if (!active && !passive) continue;
    const [caller, callee] = (active ? [a, b] : [b, a]).map(
      ({ text }) =>
        text
          .replace(/\(\)$/, '')
          .split(/\.|::|->/)
          .at(-1)!,
    );
    const all = [...source.segments.map(({ text }) => text), ...source.known.header.split('\n')];
    const definesCallee = all.some((text) => isDefinition(text, callee!));
    const definesCaller = all.some((text) => isDefinition(text, caller!));
    const callsCaller = source.segments.some(
      ({ text }) =>
        new RegExp(`(?<![\\p{L}\\p{N}_])${caller!.replace(/[$]/g, '\\$&')}\\s*\\(`, 'u').test(text) &&
        !isDefinition(text, caller!),
    );
    const callsCallee = source.segments.some(
      ({ text }) =>
        new RegExp(`(?<![\\p{L}\\p{N}_])${callee!.replace(/[$]/g, '\\$&')}\\s*\\(`, 'u').test(text) &&
        !isDefinition(text, callee!),
    );
    if (
      definesCallee &&
      callsCaller &&
      !definesCaller &&
      !callsCallee &&
      !isSpared(reading.text.slice(0, a.at))
    )
      return `in the lines ${callee} calls ${caller}`;
  }
  return null;
}
