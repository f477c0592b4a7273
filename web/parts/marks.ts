/** Characters around parts of a text that `Markdown` shows in a way of their own; text of the material never holds them. */

/** Around what a difference adds or takes away. */
export const marks = {
  added: '\ue000',
  addedEnd: '\ue001',
  removed: '\ue002',
  removedEnd: '\ue003',
} as const;

/** A verdict on a claim whose sentence is marked in the answer. */
export type Doubt = 'contradicted' | 'not shown' | 'unclear';

export const doubtTones: Readonly<Record<Doubt, 'bad' | 'warn'>> = {
  contradicted: 'bad',
  'not shown': 'bad',
  unclear: 'warn',
};

/** Around a sentence of an answer that its lines do not carry. */
export const doubtMarks: Readonly<Record<Doubt | 'end', string>> = {
  contradicted: '\ue004',
  'not shown': '\ue005',
  unclear: '\ue006',
  end: '\ue007',
};

const byMark = new Map((Object.keys(doubtTones) as Doubt[]).map((doubt) => [doubtMarks[doubt], doubt]));
/** The doubt that begins with a mark. */
export const doubtOf = (mark: string): Doubt | undefined => byMark.get(mark);

export const anyMark = /[\ue000-\ue007]/g;
export const withoutMarks = (text: string): string => text.replace(anyMark, '\ufffd');
