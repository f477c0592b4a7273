/** Brings words into a comparable form: stems, parts of names, and words for the signs of code. */

/** Words whose presence or absence means nothing. */
const idle = new Set(
  (
    'a an the this that these those it its they them their there here he she his her we our us you your i my me ' +
    'is are was were be been being am do does did done doing has have had having will would can could may might shall ' +
    'should must of in on at by for with as and or if then than so such which who whom whose what where when while how ' +
    'why also both either neither each own same other another via per about around over under out up down off through ' +
    'during between among into onto from to upon within along across against toward towards until since because due ' +
    'went gone just very too quite rather well now still already again once thus hence therefore however instead e.g i.e etc ' +
    'namely itself themselves himself one ones some any thing things way ways kind sort like being get gets got getting ' +
    'make makes made making let lets exactly simply directly actually really basically currently itself respectively ' +
    'but no not nor never none nothing nobody nowhere cannot without all every always only more less most least'
  ).split(/\s+/),
);

/** Words for parts of a program. A line consists of these parts without naming them. */
const generic = new Set(
  (
    'function method class file line code value parameter argument field attribute property constant variable module ' +
    'object type string number integer int boolean bool array list dict map struct interface member block section ' +
    'statement expression body caller call definition declaration implementation logic handler helper instance name ' +
    'named result case use used using work works contain contains hold holds happen happens come comes go goes take ' +
    'takes keep keeps mean means show shows see implement handle do perform provide provides given give gives receive ' +
    'based respective corresponding certain specific following actual current explicit explicitly internally behaviour ' +
    'behavior way place point part whole first time text comment docstring source repository repo project step branch'
  )
    .split(/\s+/)
    .map((word) => stem(word)),
);

/** Synonyms; the first of each group represents it. */
const groups: readonly string[] = [
  'return yield returned',
  'raise throw panic raised thrown threw abort',
  'call invoke run execute trigger ran',
  'if when unless check whether condition test depend otherwise else',
  'for while loop iterate each foreach walk traverse',
  'create new construct build instantiate make init initialize initialise',
  'remove delete drop pop discard del unset purge evict',
  'add append push insert put register attach',
  'set assign store save write put default compute calculate',
  'get read fetch load retrieve obtain lookup',
  'error err exception fail failure failed fault',
  'log logger logged print warn',
  'extend inherit subclass derive',
  'import require include',
  'stop end finish terminate shutdown exit quit',
  'start begin launch begun started boot',
  'close closed',
  'max maximum most limit cap',
  'min minimum least',
  'convert transform parse cast turn coerce',
  'skip ignore bypass omit',
  'length len size count',
  'config configuration configure setting option',
  'param parameter argument arg args',
  'dir directory folder',
  'req request',
  'res resp response',
  'msg message',
  'ctx context',
  'conn connection',
  'db database',
  'auth authentication authenticate authorization',
  'env environment',
  'null none nil undefined nullish missing absent',
  'true enabled enable on',
  'false disabled disable off',
  'empty blank',
  'wait sleep await block',
  'copy clone duplicate',
  'merge combine join concat concatenate',
  'compare equal equals match same',
  'send sent emit dispatch publish post',
  'spawn fork',
  'replace substitute swap overwrite override',
  'update change modify bump upgrade edit',
  'prefix startswith',
  'suffix endswith',
  'retry retries reattempt attempt',
  'occur happen occurred',
  'rise increase grow climb jump rose grew increment',
  'fall decrease decline shrink reduce lower fell decrement',
  'allow permit accept',
  'deny reject refuse forbid prohibit',
  'deploy rollout release deployed ship',
  'revert rollback undo restore',
  'crash die died kill killed',
  'item element entry',
  'separator sep delimiter',
  'parenthesis parens paren parentheses',
  'character char',
  'string str',
  'pointer ptr',
  'index idx',
  'buffer buf',
  'previous prev',
  'temporary temp tmp',
  'address addr',
  'information info',
  'documentation doc docs',
  'specification spec',
  'signature sig',
  'command cmd',
  'source src',
  'destination dest dst',
  'second sec',
  'package pkg',
  'implementation impl',
  'allocation alloc allocate',
  'attribute attr',
  'organization org',
  'number num',
  'newest latest',
  'synchronous sync',
  'asynchronous async',
  'identifier id',
];

/** Signs of code, with the words they stand for. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/\breturn\b|=>\s*[^{\s]/, 'return'],
  [/\b(?:raise|throw|panic|Err|reject|abort)\b/, 'raise'],
  [/[\p{L}\p{N}_\])>]\s*\(/u, 'call'],
  [/\b(?:if|elif|unless|switch|case|when|guard|assert)\b|\?\s|&&|\|\||\?\?/, 'if'],
  [/\b(?:for|while|loop)\b|\.(?:map|forEach|each|filter|some|every|reduce|flatMap)\(/, 'for'],
  [/(?:^|[^=!<>])=(?![=>])|:=|\+=|:\s/, 'set'],
  [/[!=]==?|\bis\b|\bequals?\(/, 'compare'],
  [/\bnew\b|\bmake\(|[^\p{L}_.][A-Z]\p{L}*\(/u, 'create'],
  [/\bdel(?:ete)?\b|\.pop\(/, 'remove'],
  [/\+=|\+\+|\.append\(|\.push\(/, 'add'],
  [/\b(?:len|length|size|count)\b/, 'length'],
  [/\bclass\s+\p{L}\w*\s*[(:<]|\bextends\b|\bimplements\b/u, 'extend'],
  [/\b(?:import|require|from|use|include)\b/, 'import'],
  [/\b(?:await|sleep|wait)\b/, 'wait'],
  [/\b(?:continue)\b/, 'skip'],
  [/\b(?:None|null|nil|undefined)\b|\bis_none\b/, 'null'],
  [/["'`]["'`]|\.is_?empty\(|\blen\(.*\)\s*==\s*0/i, 'empty'],
  [/\b(?:True|true)\b/, 'true'],
  [/\b(?:False|false)\b/, 'false'],
  [/\[[^\]]*:[^\]]*\]|\.slice\(/, 'slice'],
  [/\.startsWith\(|\.startswith\(|HasPrefix/, 'prefix'],
  [/\.endsWith\(|\.endswith\(|HasSuffix/, 'suffix'],
  [/\.join\(|\+\s*["'`]|\$\{/, 'merge'],
  [/\bexcept\b|\bcatch\b|\brescue\b/, 'catch'],
];

/** British and American spelling become one. */
export function unifySpelling(word: string): string {
  return word
    .replace(/(?<=\p{L}{3})is(?=(?:e[ds]?|ing|ation|ations)$)/u, 'iz')
    .replace(/(?<=\p{L}{2}[lbnv])our(?=s?$|ed$|ing$)/u, 'or');
}

export function stem(word: string): string {
  let base = unifySpelling(word.toLowerCase().replace(/'s?$/, ''));
  if (base.length <= 3) return base;
  if (/(?:ss|us|is)$/.test(base)) return base;
  if (/ies$/.test(base) && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:sses|shes|ches|xes|zes)$/.test(base)) base = base.slice(0, -2);
  else if (/s$/.test(base)) base = base.slice(0, -1);
  if (/ied$/.test(base) && base.length > 4) return `${base.slice(0, -3)}y`;
  const cut = /(?:ing|ed)$/.exec(base)?.[0];
  if (cut !== undefined && base.length - cut.length >= 3 && /[aeiouy]/.test(base.slice(0, -cut.length))) {
    base = base.slice(0, -cut.length);
    if (/([bdfgklmnprtvz])\1$/.test(base) && !/(?:ll|ss)$/.test(base)) base = base.slice(0, -1);
  } else if (/ly$/.test(base) && base.length > 5) base = base.slice(0, -2);
  else if (/[^aeiou]er$/.test(base) && base.length > 5)
    base = base.slice(0, -2).replace(/([bdgkmnpt])\1$/, '$1');
  if (/(?:ation|ition)$/.test(base) && base.length > 7) base = base.slice(0, -3);
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base;
}

const heads: ReadonlyMap<string, string> = new Map(
  groups
    .flatMap((group) => {
      const [head, ...rest] = group.split(' ').map(stem);
      return [head!, ...rest].map((word) => [word, head!] as const);
    })
    .reverse(),
);

/** The comparable form of a word. */
export const toComparable = (word: string): string => {
  const base = stem(word);
  return heads.get(base) ?? base;
};

/** Words that can be left out of a sentence without changing its meaning. */
const light = new Set(
  (
    'according mention mentioned mentions say said says saying state stated states tell told tells report reported record recorded ' +
    'show shown shows become became becomes appear appears appeared belong belongs consist consists consisted concern concerns ' +
    'find found finds want wants wanted need needs needed try tries tried serve serves served lie lies lay stand stands stood stay stays stayed ' +
    'live lives lived reside resides sit sits located remain remains remained name named names call called calls written write writes reach reached reaches lead leads led bring brings brought ' +
    'do done perform performed carry carried apply applies applied put puts set sets left leave leaves took take taken ' +
    'cover covers covered relate relates related regard regards affect affects amount amounts number kind own itself here there further additional ' +
    'respectively namely altogether moreover besides also whole part parts side default way ways case cases thing things point points order ' +
    'version versions log logs line lines entry entries message messages record records row rows table field fields page section text document documentation note notes ' +
    "utc gmt cet cest pst pdt am pm o'clock came come comes coming " +
    'author user people person team employee staff someone somebody anyone anybody everyone everybody software program system service component tool library project repository code file'
  )
    .split(/\s+/)
    .map((word) => stem(word)),
);

export const isLight = (word: string): boolean => light.has(stem(word)) || isGeneric(word) || isIdle(word);

export const isIdle = (word: string): boolean => idle.has(word.toLowerCase());
export const isGeneric = (word: string): boolean => generic.has(stem(word));

/** Names in mixed case that others write in one. */
const brand = /GitHub|GitLab|JavaScript|TypeScript|YouTube|LinkedIn|MacOS|FreeBSD/g;

/** The words within a name: `maxRetryCount`, `MAX_RETRY_COUNT`, `max-retry-count`. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(brand, (one) => one[0]! + one.slice(1).toLowerCase())
    .replace(/(\p{Lu}{2,})s(?!\p{L})/gu, '$1')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
}

const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const wordForm = /[\p{L}\p{N}_]+(?:'\p{L}+)?/gu;

export interface Word {
  readonly text: string;
  /** The comparable form of the word. */
  readonly base: string;
  readonly at: number;
}

/**
 * The words of a text, with names split into their parts. In scripts without spaces, pairs of characters count as
 * words.
 */
export function splitWords(text: string): readonly Word[] {
  const found: Word[] = [];
  for (const match of text.matchAll(wordForm)) {
    const [whole] = match;
    if (dense.test(whole)) {
      for (let at = 0; at < whole.length - 1; at += 1)
        found.push({ text: whole.slice(at, at + 2), base: whole.slice(at, at + 2), at: match.index + at });
      continue;
    }
    const parts = splitName(whole.replace(/'\p{L}+$/u, ''));
    let at = match.index;
    for (const part of parts) {
      found.push({ text: part, base: toComparable(part), at });
      at += part.length;
    }
  }
  return found;
}

/** Whether a word has a meaning of its own. */
export const hasMeaning = ({ text }: Pick<Word, 'text'>): boolean =>
  text.length > 1 && /\p{L}/u.test(text) && !isIdle(text) && !isGeneric(text);

/** The words that the signs of a line of code stand for. */
export function findSignWords(line: string): readonly string[] {
  return signs.flatMap(([sign, word]) => (sign.test(line) ? [toComparable(word)] : []));
}
