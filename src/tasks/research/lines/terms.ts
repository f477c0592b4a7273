/**
 * The words of a question as code spells them. The policy without a model searches for them, and weighs lines by them.
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
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_$]+/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}

const ending = /(?:ingly|ings?|edly|ed|ers?|ors?|ions?|ives?|ments?|ness|ies|es|(?<!s)s|y|e)$/;

/** A rough stem: enough for `registered` to meet `register` and `parsing` to meet `parser`. */
export function stem(term: string): string {
  let rest = term.replace(/(?:ations?|ators?|ating|ated)$/, 'at');
  for (;;) {
    const shorter = rest.replace(ending, '');
    if (shorter === rest || shorter.length < 3) return rest;
    rest = shorter;
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

/** A name of code in a text. `sure` if its form proves that it is one; otherwise it may be an ordinary word. */
export interface Identifier {
  readonly name: string;
  readonly sure: boolean;
}

const fenced = /^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gmu;
const codeForm = /[\p{Ll}\p{N}]_[\p{L}\p{N}]|\p{Ll}\p{Lu}|^\p{Lu}{2,}\p{Ll}/u;
const maxNames = 3;

/**
 * Names in a question that are searched before a model is asked. Names in its prose come before names in its code
 * examples, and common words that occur only within a dotted name are left out. A member keeps the name of its class,
 * since others may have the same name; the class itself is then looked up only if it also occurs alone.
 */
export function namesToLookUp(question: string): readonly string[] {
  const prose = question.replace(fenced, '\n');
  const examples = (question.match(fenced) ?? []).join('\n');
  const isWord = (name: string) => !codeForm.test(name);
  const dotted = new Set(
    prose
      .match(/[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+/gu)
      ?.flatMap((token) => token.split('.')),
  );
  const members = [...prose.matchAll(memberOfClass)].map(([, holder = '', name = '']) => ({ holder, name }));
  const alone = new Set(prose.replace(memberOfClass, ' ').match(word));
  const own = namesOf(prose).filter((name) => !(isWord(name) && dotted.has(name)));
  const others = namesOf(examples).filter((name) => !isWord(name) && !own.includes(name));
  const full = own.flatMap((name) => {
    const holders = members.filter((member) => member.name === name).map(({ holder }) => `${holder}.${name}`);
    if (holders.length > 0) return holders;
    return members.some(({ holder }) => holder === name) && !alone.has(name) ? [] : [name];
  });
  // A member after its class is one, even where both are ordinary words.
  const plain = members
    .filter(({ name }) => !own.includes(name))
    .map(({ holder, name }) => `${holder}.${name}`);
  return [...new Set([...full, ...plain, ...others])].slice(0, maxNames);
}

/** A class's name begins with a capital letter. A chain such as `A.B.name` keeps its last two names. */
const memberOfClass = /(?<![\p{L}\p{N}_$])(_?\p{Lu}[\p{L}\p{N}_$]*)(?:\.|::|#)([\p{Ll}_$][\p{L}\p{N}_$]*)/gu;

const namesOf = (text: string) => identifiersIn(text).flatMap(({ name, sure }) => (sure ? [name] : []));

/**
 * Names of code in a text, surest first: in backticks or called; with an underscore or an inner capital; dotted
 * or in quotation marks; words that are capitalised within a sentence.
 */
export function identifiersIn(text: string): readonly Identifier[] {
  const found = new Map<string, number>();
  const note = (name: string, weight: number) => {
    if (name.length > 2 && /^[\p{L}_$]/u.test(name) && !stopWords.has(name.toLowerCase()))
      found.set(name, Math.max(found.get(name) ?? 0, weight));
  };
  for (const [, mark = '', quoted = ''] of text.matchAll(/([`'"])([\p{L}_$][\p{L}\p{N}_$.]*)(?:\(\))?\1/gu))
    for (const name of quoted.split('.')) note(name, mark === '`' ? 4 : 2);
  for (const [, name = ''] of text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)\(\)/gu)) note(name, 4);
  for (const [token] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*/gu))
    for (const name of token.split('.')) {
      if (/[\p{Ll}\p{N}]_|_[\p{L}\p{N}]/u.test(name)) note(name, 3);
      else if (/\p{Ll}\p{Lu}/u.test(name) || /^\p{Lu}{2,}\p{Ll}/u.test(name)) note(name, 3);
      else if (token.includes('.') && name !== token) note(name, 2);
    }
  for (const [, name = ''] of text.matchAll(/(?<=[\p{Ll},] )(\p{Lu}\p{Ll}[\p{L}\p{N}]+)/gu)) note(name, 1);
  return [...found].sort((a, b) => b[1] - a[1]).map(([name, weight]) => ({ name, sure: weight > 2 }));
}
