import type { Corpus } from '../lexical/index.ts';

/**
 * A language other than English, with the endings of its words. Two words with the same stem are forms of each other.
 * Words are written as in the index: in lower case and without accents, so that й is и.
 */
export interface Language {
  readonly name: string;
  /** Short words, some of which occur in most paragraphs; the language is detected by them. */
  readonly commonWords: readonly string[];
  /** Lists of endings. For each list in turn, the longest matching ending is removed. */
  readonly endings: readonly (readonly string[])[];
}

/** Minimum number of letters of a stem. */
export const minStem = 4;
/** Minimum share of chunks that contain a common word, averaged over these words. A smaller share may be chance. */
const minWordShare = 0.02;

const splitWords = (text: string): string[] => text.split(' ');

function defineLanguage(name: string, commonWords: string, ...endings: readonly string[]): Language {
  const longestFirst = (list: string): string[] =>
    splitWords(list).sort((one, two) => two.length - one.length || (one < two ? -1 : 1));
  return { name, commonWords: splitWords(commonWords), endings: endings.map(longestFirst) };
}

const languages: readonly Language[] = [
  defineLanguage(
    'German',
    'und der die das nicht mit ist ein eine auf von den werden oder wird sich dem zu im',
    'e em en er ern es n s',
    'est et st t',
    'heit ig isch keit lich ung',
  ),
  defineLanguage(
    'French',
    'les des une est dans pour pas que avec sur qui sont cette vous du et aux',
    's x',
    'aient ait ant e ee ent er ez ons',
    'ation ement eur ment',
  ),
  defineLanguage(
    'Spanish',
    'los las una por para con del que como esta son puede el se',
    'es s',
    'a ada ado ando ar aron e er ida ido iendo ir o',
    'acion ador cion mente',
  ),
  defineLanguage(
    'Portuguese',
    'uma nao com para dos das voce sao mais como pela pelo um do da em se',
    'es s',
    'a ada ado ando ao ar e endo er ida ido ir o',
    'acao aco ador cao mente',
  ),
  defineLanguage(
    'Italian',
    'che non una per sono della nel gli come piu alla questo il di un si del',
    'a e i o',
    'and ar at end er h ir it ut',
    'azion ment zion',
  ),
  defineLanguage(
    'Polish',
    'nie sie jest oraz ktory ktore dla przez jako czy lub od tego tym aby moze ze na jak',
    'a ach ami e ego ej em emu i ia iach iami ie iego iej iem iemu im imi io iom iu o om ow owi owie u y ych ym ymi',
    'ac ajac al am amy asz aj ał ali ały ec em emy esz ił ic ili imy isz owac owal owali ował uj ujac yc yl yli ymy ysz ywac ywal ywał yw ył',
    'an ani en eni n ni osc owan sk',
  ),
  defineLanguage(
    'Russian',
    'не что как для это или на по если при из от его',
    'а ам ами ах ая е его ее еи ем ему ею и ие ием иеи ии им их ию ия иям иях о ов ого ое ои ом ому ою у ую ы ые ыи ым ых ь ю юю я ям ями ях яя',
    'ем ет ит л н т ть ют ят',
    'ени ост',
  ),
];

export function stemInLanguage({ endings }: Language, word: string): string {
  let stem = word;
  for (const list of endings) {
    const ending = list.find((one) => stem.endsWith(one) && stem.length - one.length >= minStem);
    if (ending !== undefined) stem = stem.slice(0, -ending.length);
  }
  return stem;
}

/** The main language of the corpus, apart from English; null if it is none of `languages`. */
export function detectLanguage(corpus: Pick<Corpus, 'documentFrequency' | 'liveChunks'>): Language | null {
  let best: Language | null = null;
  let bestAverage = minWordShare * corpus.liveChunks;
  for (const candidate of languages) {
    const chunks = candidate.commonWords.reduce((sum, word) => sum + corpus.documentFrequency(word), 0);
    const average = chunks / candidate.commonWords.length;
    if (average > bestAverage) [best, bestAverage] = [candidate, average];
  }
  return best;
}
