import { describe, expect, it } from 'vitest';
import type { SpanReply } from '../../../core/index.ts';
import { scriptedMaterial } from '../scripted.ts';
import {
  type CountedWord,
  countWords,
  findMissedWords,
  isInLanguage,
  mayBeForeign,
  wordsOf,
} from './carrying-words.ts';

const files = 100;
const inFiles = (count: number, from = 0): ReadonlySet<string> =>
  new Set(Array.from({ length: count }, (_, nth) => `${from + nth}.md`));
/** `word` in the first files, or `word@n` in the files from n on. */
const counted = (words: Readonly<Record<string, number>>): readonly CountedWord[] =>
  Object.entries(words).map(([each, count], nth) => {
    const [word = '', from = '0'] = each.split('@');
    return { word, paths: inFiles(count, Number(from)), isFirst: nth === 0 };
  });

describe('the words of a question', () => {
  it.each([
    ['Wie lege ich ein Gantt-Diagramm an?', ['Wie', 'lege', 'ich', 'ein', 'Gantt', 'Diagramm', 'an']],
    ["Combien de temps dure l'été 2020 ?", ['Combien', 'de', 'temps', 'dure', 'été']],
    ['削除したノートを復元するには？', ['削除', 'ノート', '復元']],
  ])('%s', (question, words) => {
    expect(wordsOf(question).map(({ word }) => word)).toEqual(words);
  });

  it('may be of another language unless one is English for certain', () => {
    expect(mayBeForeign('Kto wygrał mistrzostwa świata?')).toBe(true);
    expect(mayBeForeign('Wie in Obsidian notities in PDF')).toBe(true);
    expect(mayBeForeign('Show places that configure logging')).toBe(false);
    expect(mayBeForeign('session store')).toBe(false);
  });
});

describe('the language of the material', () => {
  it('is told by short words that are common in it', () => {
    expect(isInLanguage(counted({ Wie: 60, lange: 8, ein: 55, Ei: 0 }), files)).toBe(true);
    expect(isInLanguage(counted({ Jak: 16, podlewać: 0, storczyki: 0, zimą: 0 }), files)).toBe(true);
  });

  it('is not that of a German question over English code, whatever words both have', () => {
    expect(isInLanguage(counted({ Was: 80, ist: 1, ein: 0, Blueprint: 30, in: 100 }), files)).toBe(false);
    expect(isInLanguage(counted({ Wie: 0, wird: 0, mit: 40, Fehlern: 0, so: 90 }), files)).toBe(false);
  });

  it('is that of another script as soon as one of its words is there', () => {
    expect(isInLanguage(counted({ Сколько: 4, варить: 0, кашу: 0 }), files)).toBe(true);
    expect(isInLanguage(counted({ Сколько: 0, Zigbee: 4 }), files)).toBe(false);
  });
});

describe('words that occur nowhere', () => {
  it('decide where they are most of what the question tells', () => {
    expect(
      findMissedWords(counted({ Wie: 50, backt: 0, man: 40, ein: 60, Sauerteigbrot: 0 }), files),
    ).toEqual({
      words: ['backt', 'Sauerteigbrot'],
      isDecisive: true,
    });
    const one = findMissedWords(counted({ Wie: 50, verbinde: 4, meinen: 6, Thermomix: 0, mit: 60 }), files);
    expect(one).toEqual({ words: ['Thermomix'], isDecisive: true });
  });

  it('are told where one word alone was said otherwise', () => {
    const words = {
      Wie: 50,
      viele: 10,
      Tage: 3,
      läuft: 4,
      die: 90,
      testphase: 0,
      kommerziellen: 4,
      Lizenz: 9,
    };
    expect(findMissedWords(counted(words), files)).toEqual({ words: ['testphase'], isDecisive: false });
  });

  it('are none where the first word asks, or a word has two letters', () => {
    expect(findMissedWords(counted({ Combien: 0, de: 90, à: 0, carte: 3 }), files).words).toEqual([]);
  });

  it('need not be any: words that no file has together do not answer', () => {
    const apart = counted({ Cuál: 20, es: 90, capital: 1, 'Australia@50': 1, '首都@70': 1 });
    expect(findMissedWords(apart, files)).toEqual({ words: [], isDecisive: true });
    expect(findMissedWords(counted({ Cuál: 20, es: 90, capital: 1, Australia: 1 }), files).isDecisive).toBe(
      false,
    );
  });

  it('nothing is decided by nothing', () => {
    expect(findMissedWords([], files)).toEqual({ words: [], isDecisive: false });
  });
});

describe('counting', () => {
  const hit = (path: string) => ({ path, start: 1, end: 1, score: 1, provenance: 'bm25' as const });
  const reply = (paths: readonly string[], respelled?: SpanReply['respelled']): SpanReply => ({
    ...{ hits: paths.map(hit), completeness: 'complete', notes: [] },
    ...(respelled !== undefined && { respelled }),
  });
  const counts = async (question: string, replies: Readonly<Record<string, SpanReply>>) => {
    const material = {
      ...scriptedMaterial({ files: { 'a.md': '復元', 'b.md': '復旧と元' } }),
      search: { search: async ({ query }: { query: string }) => replies[query] ?? reply([]) },
    };
    const signal = new AbortController().signal;
    const words = await countWords(question, { material, scope: undefined, signal });
    return Object.fromEntries(words.map(({ word, paths }) => [word, paths.size]));
  };

  it('takes forms of a word, also by its beginning, and no other words', async () => {
    const found = await counts('Szyfrem samochodu backt Notitzen', {
      // Not the word itself, but one that is as long.
      szyfre: reply(['a.md'], [{ asked: 'szyfre', read: 'szyfrem', by: 'error' }]),
      szyfr: reply(['a.md', 'b.md']),
      samoch: reply(['a.md'], [{ asked: 'samoch', read: 'samochodowego', by: 'beginning' }]),
      backt: reply(['a.md'], [{ asked: 'backt', read: 'back', by: 'error' }]),
      notitzen: reply(['a.md'], [{ asked: 'notitzen', read: 'notizen', by: 'error' }]),
    });
    expect(found).toEqual({ Szyfrem: 2, samochodu: 0, backt: 0, Notitzen: 1 });
  });

  it('looks for a word of a script without spaces in the lines', async () => {
    expect(await counts('復元するには', { 復元: reply(['a.md', 'b.md']) })).toEqual({ 復元: 1 });
  });
});
