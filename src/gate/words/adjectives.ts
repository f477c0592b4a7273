/** Adjectives. Two of them before the same noun may mean the same: `a secure channel`, `an encrypted channel`. */
import { oppositesOf } from './opposites.ts';

const ending = /\p{L}{2}(?:able|ible|ful|less|ous|ive|ical|ic|al|ary|ed|ent|ant|ern|ate)$/iu;
/** Nouns with such an ending. */
const nouns = new Set(
  (
    'agent client component content event tenant segment document element fragment comment increment deployment environment ' +
    'terminal signal portal journal interval proposal archive drive directive metric traffic logic topic public music ' +
    'library summary binary dictionary secondary certificate template delegate predicate feed speed seed shed bed'
  ).split(' '),
);
const common = new Set(
  (
    'short long brief small large big tiny huge high low fast slow quick rapid swift new old young early late recent current ' +
    'main major minor key core full empty whole free cheap safe secure secret strict rigorous tight loose strong weak hard soft ' +
    'easy simple plain clear clean dirty rich poor thin thick deep shallow wide narrow broad open closed near far close remote ' +
    'local offsite onsite own extra same different single sole lone unique distinct separate rare true false right wrong ' +
    'correct exact precise proper good bad fine great better worse best worst real fake live dead hot cold warm dry wet heavy ' +
    'light bright dark quiet loud sharp smooth rough flat round direct certain sure final last next first past inner outer ' +
    'upper lower inverse reverse private public foreign longer shorter larger smaller bigger higher faster slower newer older ' +
    'stronger weaker wider deeper concise complex standard usual regular fresh stale steady stable solid firm fair equal rigid'
  ).split(' '),
);

/** Words for the place in a row. */
const ordinals =
  /^(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\p{L}+ieth|\p{L}+teenth)$/iu;
export const isOrdinal = (word: string): boolean => ordinals.test(word);

const isAdjective = (word: string): boolean =>
  common.has(word.toLowerCase()) ||
  isOrdinal(word) ||
  (ending.test(word) && /^\p{Ll}/u.test(word) && !nouns.has(word));

/** Whether two words are adjectives that may be said of the same thing. */
export const mayMeanSame = (one: string, other: string): boolean =>
  isAdjective(one) &&
  isAdjective(other) &&
  !(isOrdinal(one) && isOrdinal(other)) &&
  !oppositesOf(one).includes(other.toLowerCase());
