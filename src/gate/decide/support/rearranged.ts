/**
 * Whether a clause has the same words as a claim, with one phrase in another place: `Seit 2020 nutzt Nord das System`
 * for `Nord nutzt das System seit 2020`. In German and Dutch the verb then changes places with its subject.
 */
import { mayDeny } from '../../words/turns.ts';
import type { Token } from '../align/tokens.ts';
import { isAlike } from './pieces.ts';

/** Words that begin a phrase of time, place or manner. */
const phraseStarts = new Set(
  (
    'at on in by for during within since before after with without under over through via from ' +
    'am im beim zum zur vom ab an auf aus bei bis durch für gegen hinter in mit nach neben seit statt trotz über um unter von vor während wegen zu zwischen ' +
    'op bij met na naar sinds tijdens uit van voor ' +
    'à au aux dans depuis en par pendant pour avec chez dès après avant sous sur vers ' +
    'desde durante hasta para por con sin sobre tras a ' +
    'dal dalla dopo nel nella per prima ' +
    'do od na po przed przez przy w we z za ze podczas ' +
    'desde durante até para por com na no nas nos em'
  ).split(' '),
);
const adverbForm =
  /^(?:\p{L}{3,}(?:mäßig|weise|erweise)|heute|gestern|morgen|jetzt|derzeit|zurzeit|danach|dort|hier|meist(?:ens)?|actuellement|aujourd|maintenant|normalmente|actualmente|ahora|hoy|obecnie|teraz|zwykle|domyślnie|nu|momenteel)$/iu;
/** Words whose position determines what they refer to. */
const focusingWord =
  /(?<![\p{L}\p{N}])(?:nur|auch|sogar|selbst|erst|allein|ausschließlich|bloß|lediglich|fast|nicht|kein\p{L}*|nie\p{L}*|ohne|slechts|alleen|ook|zelfs|niet|geen|nooit|seulement|même|aussi|presque|jamais|pas|ne|aucun\p{L}*|sans|solo|sólo|solamente|también|incluso|casi|no|nunca|ningun\p{L}*|sin|tylko|także|też|nawet|prawie|nie|nigdy|bez|só|também|não|nem|only|even|also|just|almost|alone|not|never|without|soltanto|anche|mai|non|если|только|не|даже)(?![\p{L}\p{N}])/iu;
const maxPhraseTokens = 6;

/** `isPlain`: whether both texts are English, in which the verb keeps its place. */
export function isRearranged(
  needed: readonly Token[],
  given: readonly Token[],
  text: string,
  isPlain: boolean,
): boolean {
  const size = needed.length;
  if (size !== given.length || size < 4 || focusingWord.test(text) || (isPlain && mayDeny(text)))
    return false;
  for (const [at, token] of given.entries()) {
    const isPhrase = phraseStarts.has(token.text.toLowerCase());
    if (!isPhrase && (isPlain || !adverbForm.test(token.text))) continue;
    for (
      let length = isPhrase ? 2 : 1;
      length <= (isPhrase ? maxPhraseTokens : 1) && at + length <= size;
      length += 1
    )
      for (const [from, first] of needed.entries()) {
        if (from === at || from + length > size || !isAlike(first, token)) continue;
        if (!areAlike(needed.slice(from, from + length), given.slice(at, at + length))) continue;
        const [claimRest, givenRest] = [removeRange(needed, from, length), removeRange(given, at, length)];
        if (areAlike(claimRest, givenRest)) return true;
        if (isPlain) continue;
        if (
          (at === 0 && isInverted(givenRest, claimRest)) ||
          (from === 0 && isInverted(claimRest, givenRest))
        )
          return true;
      }
  }
  return false;
}

const removeRange = (tokens: readonly Token[], from: number, length: number): readonly Token[] => [
  ...tokens.slice(0, from),
  ...tokens.slice(from + length),
];

const areAlike = (one: readonly Token[], other: readonly Token[]): boolean =>
  one.length === other.length && one.every((token, at) => isAlike(token, other[at]!));

/** Whether the verb precedes its subject in one text, and follows it in the other. */
const isInverted = ([verb, ...rest]: readonly Token[], other: readonly Token[]): boolean =>
  verb !== undefined &&
  other.some(
    (token, at) =>
      at > 0 && at <= maxPhraseTokens && isAlike(token, verb) && areAlike(rest, removeRange(other, at, 1)),
  );
