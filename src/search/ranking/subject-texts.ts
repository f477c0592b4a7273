/** Texts for tests: each contains half of the words of one of 20 subjects, and no word of the others. */

const subjects = 20;
const wordsOfSubject = 12;
const wordsOfText = 6;

export interface SubjectText {
  readonly path: string;
  readonly content: string;
  readonly subject: number;
}

export function createSubjectTexts(count: number): readonly SubjectText[] {
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, (_, text) => {
    const subject = text % subjects;
    const words = Array.from({ length: wordsOfSubject }, (_, k) => ({
      word: createWord(subject, k),
      place: random(),
    }))
      .sort((one, two) => one.place - two.place)
      .slice(0, wordsOfText);
    return { path: `${text}.txt`, content: `${words.map(({ word }) => word).join(' ')}\n`, subject };
  });
}

/** A word without an ending that a stemmer would remove. */
function createWord(subject: number, k: number): string {
  const letter = (n: number): string => 'bcdfghjkmnprtvwxzlqs'[n]!;
  return `${letter(subject)}u${letter(k)}o${letter(subject)}um`;
}
