/**
 * Code computes a figure, but not the words around it. This finds the words of an answer that are backed: words of the
 * code that computed the figure, of the lines it read and of the question; and words like `all`, `average` or
 * `heaviest` if the code does what the word says. Pure.
 */
import type { TextSpan } from '../../core/index.ts';
import { findOpposites } from '../words/opposites.ts';
import { isGeneric, isIdle, isLight, splitWords, toComparable, type Word } from '../words/words.ts';

export interface Derivation {
  /** The texts of the answer. */
  readonly texts: readonly string[];
  /** The code of the cells, in order. */
  readonly codes: readonly string[];
  /** The source lines from which the answer was computed. */
  readonly lines: readonly string[];
  readonly question: string;
}

/** Words that say how a figure was computed, each with a pattern for code that does so. */
const methods: readonly { readonly words: RegExp; readonly code: RegExp }[] = [
  {
    words: /^(?:all|every|each|always|everything|everyone|both|throughout|entire|entirely|whole|any)$/i,
    code: /\ball\(|\bnot any\(|\bfor\b[^\n]*\belse\b/,
  },
  {
    words: /^(?:only|solely|exclusively|alone|just|none|never|nothing|nobody)$/i,
    code: /\ball\(|\bnot any\(|\bnot in\b|== ?1\b|\bset\(/,
  },
  {
    words: /^(?:most|mostly|majority|usually|often|mainly|largely|half)$/i,
    code: /\bmax\(|sorted\(|\.sort\(|most_common|nlargest|\/|>/,
  },
  {
    words:
      /^(?:least|fewest|largest|biggest|highest|longest|heaviest|oldest|newest|latest|earliest|smallest|lowest|shortest|lightest|top|maximum|minimum|record|peak|best|worst|(?!(?:re|con)?(?:quest|test)$|(?:for|inter|gu|sugg|dig|harv|prot|inv|hon|mod|manif|ing|ch|cr|arr|att|conqu)est$)\p{L}{3,}est)$/iu,
    code: /\bmax\(|\bmin\(|sorted\(|\.sort\(|most_common|nlargest|nsmallest|\bif\b[^\n]*[<>][^\n]*:\s*\w+\s*=/,
  },
  { words: /^(?:first|last)$/i, code: /\[-?[01]\]|\bnext\(|sorted\(|\.sort\(|\bmax\(|\bmin\(|\bbreak\b/ },
  { words: /^(?:average|averaged|mean|median|typical|typically)$/i, code: /\/|mean|median|average|avg/ },
  {
    words: /^(?:unique|distinct|different|separate)$/i,
    code: /\bset\(|Counter|defaultdict|\{|unique|distinct|keys\(|not in\b|groupby/,
  },
];

/** Words that fit any count or sum. */
const countingWords = new Set(
  (
    'total totals sum sums summed count counts counted number amount altogether together overall result answer figure tally grand ' +
    'page note document file line text path match hit occurrence occur instance entry item record list listing vault workspace ' +
    'repository repo folder material following computed computation calculated calculation found find there exactly about ' +
    'roughly approximately around average equal come add up make have hold contain mention include share percentage percent ' +
    'per kg ton tons tonne kilogram metre meter litre liter euro dollar usd eur hour minute second day week month year people time'
  )
    .split(' ')
    .map(toComparable),
);

function needsNoBacking({ text, base }: Word): boolean {
  if (!/\p{L}/u.test(text) || text.length < 2 || countingWords.has(base) || isIdle(text)) return true;
  return (isGeneric(text) || isLight(text)) && findOpposites(text).length === 0;
}

const findMethod = (word: string) => methods.find(({ words }) => words.test(word));

/**
 * The words of an answer that are backed, in the form in which words are compared. Words for a way of computing are
 * kept as they are written.
 */
export function findBackedWords({ texts, codes, lines, question }: Derivation): readonly string[] {
  const words = splitWords(texts.join('\n'));
  const own = codes.map((code) => dropAnswerTexts(code, texts));
  const known = new Set(
    [...own, ...lines, question].flatMap((text) => splitWords(text).map(({ base }) => base)),
  );
  const backed = words.filter(({ text, base }) => {
    const working = findMethod(text);
    return working === undefined ? known.has(base) : own.some((code) => working.code.test(code));
  });
  return [...new Set(backed.map(toKey))];
}

const toKey = ({ text, base }: Word): string => (findMethod(text) === undefined ? base : text.toLowerCase());

/** Words that name the set over which the figure was computed, as in `of all pages`. The listing shows that. */
const overSet =
  /\b(?:in|of|over|across|from|for|among|amongst|through|throughout|within|on|per|to)\s+(?:all|each|every|both|the (?:whole|entire))\b|\ball (?:in all|told|together)\b/giu;
/** Words about all items together, not each of them. */
const collective =
  /\b(?:all|both|the (?:whole|entire))\b(?=[^.;]*\b(?:together|combined|altogether|in (?:total|all|sum)|overall|a total of|sum(?:s|med)? (?:up )?to|add(?:s|ed)? up to)\b)/giu;
/** Words after which the figure itself follows: `at least 5`. */
const bounds = /\b(?:at (?:least|most)|only|just)(?=\s+\d)/giu;
/** Words that claim more or less than the computed figure. */
const boundWords =
  /\b(?:more|less|fewer|greater|larger|smaller|higher|lower) than\s*$|\b(?:over|above|under|below|beyond|nearly|almost)\s*$/i;

/** The words in a part of a claim that nothing backs. */
export function findUnbacked(
  claim: string,
  { start, end }: TextSpan,
  figures: readonly TextSpan[],
  backed: readonly string[],
): readonly string[] {
  const known = new Set(backed);
  let text = claim;
  for (const saidFigure of figures) text = overwrite(text, saidFigure.start, saidFigure.end, '0');
  for (const form of [overSet, collective, bounds])
    for (const { index, 0: found } of text.matchAll(form))
      text = overwrite(text, index, index + found.length, ' ');
  const lacking = splitWords(text).filter(
    (word) =>
      word.at >= start &&
      word.at < end &&
      !known.has(toKey(word)) &&
      (findMethod(word.text) !== undefined || !needsNoBacking(word)),
  );
  const more = figures.flatMap((one) =>
    one.start >= start && one.start < end
      ? (boundWords.exec(claim.slice(0, one.start))?.[0].trim() ?? [])
      : [],
  );
  return [...new Set([...lacking.map((word) => word.text), ...more])];
}

const overwrite = (text: string, at: number, end: number, sign: string): string =>
  text.slice(0, at) + sign.repeat(end - at) + text.slice(end);

const literal = /([rbfRBF]{0,2})("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g;

/** The code without comments and without the texts of the answer, which only repeat the question. */
function dropAnswerTexts(code: string, texts: readonly string[]): string {
  const answer = texts.map((text) => text.replace(/\s+/g, ' ')).join('\n');
  const bare = code.replace(literal, (whole, prefix: string, quoted: string) => {
    const inner = quoted.replace(/^(?:"""|'''|["'])|(?:"""|'''|["'])$/g, '').replace(/\\n/g, ' ');
    const isForm = /f/i.test(prefix) || /\{[^}]*\}|%[sd.]/.test(inner);
    const names = isForm ? [...inner.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!).join(' ') : '';
    const pieces = inner.split(/\{[^{}]*\}|%[sd]|%\.?\d*f/).map((piece) => piece.replace(/\s+/g, ' '));
    const isSaid = pieces.some((piece) => {
      const count = piece.trim().split(' ').length;
      const isOpen = isForm || count > 1 || piece !== piece.trim();
      return isOpen && /\p{L}{2}/u.test(piece) && answer.includes(piece.trim());
    });
    return isSaid ? ` ${names} ` : whole.replaceAll('#', ' ');
  });
  return bare.replace(/#[^\n]*/g, ' ');
}
