/**
 * Finds words and names of a question as code spells them. The policy without a model searches for them, and scores
 * lines by them.
 */

const stopWords = new Set(
  `a about after all also an and any are as at be because been before being between both but by can could did do does
   during each either for from get gets given has have how if in instead into is it its itself like make makes more most must
   not of on once one only or other out over own rather relationship same should so some such than that the their them
   then there these they this those through to two under up use used uses using via was were what when where whether
   which while who why will with within without would code class function method module file implement implemented
   implementation purpose role work works happen happens design rationale reason specific specifically`.split(
    /\s+/,
  ),
);

const word = /[\p{L}\p{N}_$]+/gu;

/** The parts of an identifier: `makeHTTPResponse`, `make_http_response` -> make, http, response. */
export function parts(identifier: string): readonly string[] {
  return identifier
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(?<!\p{Lu})(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_$]+/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}

const wordEnding = /(?:ingly|ings?|edly|ed|ers?|ors?|ions?|ives?|ments?|ness|ies|es|(?<!s)s|y|e)$/;

/** A rough stem, so that `registered` equals `register`, and `parsing` equals `parser`. */
export function stem(term: string): string {
  let stemmed = term.replace(/(?:ations?|ators?|ating|ated)$/, 'at');
  for (;;) {
    const shorter = stemmed.replace(wordEnding, '');
    if (shorter === stemmed || shorter.length < 3) return stemmed;
    stemmed = shorter;
  }
}

/** Stemmed content words of a text, identifiers split, each once, in order. */
export function termsOf(text: string): readonly string[] {
  const terms = new Set<string>();
  for (const [token] of text.matchAll(word))
    for (const part of parts(token))
      if (part.length > 1 && !stopWords.has(part) && !/^\d+$/.test(part)) terms.add(stem(part));
  return [...terms];
}

/** A possible name of code in a text. `sure`: its form proves that it is one; otherwise it may be an ordinary word. */
export interface Identifier {
  readonly name: string;
  readonly sure: boolean;
}

const fencedBlock = /^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gmu;
const codeNameForm = /[\p{Ll}\p{N}]_[\p{L}\p{N}]|\p{Ll}\p{Lu}|^\p{Lu}{2,}\p{Ll}/u;
const maxNames = 3;
/** The lookbehind lets a name be tried only from its first character: a long word would take quadratic time. */
const nameStartPattern = String.raw`(?=[\p{L}_$])(?<![\p{L}_$]\p{N}*)[\p{L}_$][\p{L}\p{N}_$]*`;
const calledNamePattern = new RegExp(String.raw`(${nameStartPattern})\(\)`, 'gu');
const dottedNamePattern = new RegExp(String.raw`${nameStartPattern}(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+`, 'gu');

/**
 * The names in a question to look up before a model is asked, at most 3. Names in its prose come before names in its
 * code examples. Ordinary words that occur only within a dotted name are left out. A member is looked up with its class
 * (`Class.member`), since other classes may have the same member; the class itself only if it also occurs alone.
 */
export function namesToLookUp(question: string): readonly string[] {
  const prose = question.replace(fencedBlock, '\n');
  const examples = (question.match(fencedBlock) ?? []).join('\n');
  const looksLikeWord = (name: string) => !codeNameForm.test(name);
  const dottedParts = new Set(prose.match(dottedNamePattern)?.flatMap((token) => token.split('.')));
  const members = [...prose.matchAll(memberOfClass)].map(([, holder = '', name = '']) => ({ holder, name }));
  const standaloneWords = new Set(prose.replace(memberOfClass, ' ').match(word));
  const proseNames = sureNamesIn(prose).filter((name) => !(looksLikeWord(name) && dottedParts.has(name)));
  const exampleNames = sureNamesIn(examples).filter(
    (name) => !looksLikeWord(name) && !proseNames.includes(name),
  );
  const qualified = proseNames.flatMap((name) => {
    const qualifiedNames = members
      .filter((member) => member.name === name)
      .map(({ holder }) => `${holder}.${name}`);
    if (qualifiedNames.length > 0) return qualifiedNames;
    return members.some(({ holder }) => holder === name) && !standaloneWords.has(name) ? [] : [name];
  });
  // `Class.member` is a name even if both parts are ordinary words.
  const plainMembers = members
    .filter(({ name }) => !proseNames.includes(name))
    .map(({ holder, name }) => `${holder}.${name}`);
  return [...new Set([...qualified, ...plainMembers, ...exampleNames])].slice(0, maxNames);
}

/** A class's name begins with a capital letter. A chain such as `A.B.name` keeps its last two names. */
const memberOfClass = /(?<![\p{L}\p{N}_$])(_?\p{Lu}[\p{L}\p{N}_$]*)(?:\.|::|#)([\p{Ll}_$][\p{L}\p{N}_$]*)/gu;

const sureNamesIn = (text: string) => identifiersIn(text).flatMap(({ name, sure }) => (sure ? [name] : []));

/**
 * Names of code in a text, surest first: in backticks or called; with an underscore or an inner capital; dotted
 * or in quotation marks; words that are capitalised within a sentence.
 */
export function identifiersIn(text: string): readonly Identifier[] {
  const found = new Map<string, number>();
  const addName = (name: string, weight: number) => {
    if (name.length > 2 && /^[\p{L}_$]/u.test(name) && !stopWords.has(name.toLowerCase()))
      found.set(name, Math.max(found.get(name) ?? 0, weight));
  };
  for (const [, mark = '', quoted = ''] of text.matchAll(/([`'"])([\p{L}_$][\p{L}\p{N}_$.]*)(?:\(\))?\1/gu))
    for (const name of quoted.split('.')) addName(name, mark === '`' ? 4 : 2);
  for (const [, name = ''] of text.matchAll(calledNamePattern)) addName(name, 4);
  for (const [token] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*/gu))
    for (const name of token.split('.')) {
      if (/[\p{Ll}\p{N}]_|_[\p{L}\p{N}]/u.test(name)) addName(name, 3);
      else if (/\p{Ll}\p{Lu}/u.test(name) || /^\p{Lu}{2,}\p{Ll}/u.test(name)) addName(name, 3);
      else if (token.includes('.') && name !== token) addName(name, 2);
    }
  for (const [, name = ''] of text.matchAll(/(?<=[\p{Ll},] )(\p{Lu}\p{Ll}[\p{L}\p{N}]+)/gu)) addName(name, 1);
  return [...found].sort((a, b) => b[1] - a[1]).map(([name, weight]) => ({ name, sure: weight > 2 }));
}
