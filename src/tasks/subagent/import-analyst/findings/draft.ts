/** The result of a finder: a finding that has no number and is not confirmed yet, with possible repairs. */
import type { FindingKind, PageEvidence, Repair } from '../report.ts';
import type { PageFacts, Survey, WrittenLink } from '../survey.ts';

export interface Draft {
  readonly kind: FindingKind;
  readonly statement: string;
  readonly pages: number;
  readonly evidence: readonly PageEvidence[];
  /** The probable cause, in words for the reader. */
  readonly likely: string | null;
  /** Certain enough to be repaired without a model's judgement. */
  readonly certain: boolean;
  readonly repairs: readonly Repair[];
}

/** Finds problems of one kind; the most important first, if it can tell. */
export type Finder = (survey: Survey) => readonly Draft[];

export const noRepair = { likely: null, certain: false, repairs: [] } as const;

const at = ({ id, path }: PageFacts) => ({ page: id, path, confirmed: false });

export const linkEvidence = (page: PageFacts, link: WrittenLink): PageEvidence => ({
  kind: 'link',
  ...at(page),
  block: link.from,
  target: link.target,
  to: link.to,
});

export const missingAnchorEvidence = (page: PageFacts, link: WrittenLink, to: string): PageEvidence => ({
  kind: 'no_place',
  ...at(page),
  block: link.from,
  target: link.target,
  to,
});

export const quoteEvidence = (page: PageFacts, block: string | null, quote: string): PageEvidence => ({
  kind: 'quote',
  ...at(page),
  block,
  revision: page.revision,
  quote,
});

export const pageEvidenceOf = (page: PageFacts, kind: 'alone' | 'empty' | 'page'): PageEvidence => ({
  kind,
  ...at(page),
});

export const tagEvidence = (page: PageFacts, tag: string): PageEvidence => ({
  kind: 'tag',
  ...at(page),
  tag,
});

export const alikeEvidence = (page: PageFacts, other: PageFacts, likeness: number): PageEvidence => ({
  kind: 'alike',
  ...at(page),
  other: other.id,
  likeness,
});

export const deviationEvidence = (page: PageFacts, deviation: string): PageEvidence => ({
  kind: 'deviation',
  ...at(page),
  deviation,
});

/** Maximum number of pieces of evidence of one finding. */
export const maxEvidence = 3;

export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

/** Only imported pages; those that people and agents wrote are not analysed. */
export const listImportedPages = ({ pages }: Survey): readonly PageFacts[] =>
  pages.filter(({ imported }) => imported);

export function groupBy<Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
