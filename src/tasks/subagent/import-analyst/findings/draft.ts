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

const pageRef = ({ id, path }: PageFacts) => ({ page: id, path, confirmed: false });

export const linkEvidence = (page: PageFacts, link: WrittenLink): PageEvidence => ({
  kind: 'link',
  ...pageRef(page),
  block: link.from,
  target: link.target,
  to: link.to,
});

export const missingAnchorEvidence = (page: PageFacts, link: WrittenLink, to: string): PageEvidence => ({
  kind: 'no_place',
  ...pageRef(page),
  block: link.from,
  target: link.target,
  to,
});

export const quoteEvidence = (page: PageFacts, block: string | null, quote: string): PageEvidence => ({
  kind: 'quote',
  ...pageRef(page),
  block,
  revision: page.revision,
  quote,
});

export const pageEvidenceOf = (page: PageFacts, kind: 'alone' | 'empty' | 'page'): PageEvidence => ({
  kind,
  ...pageRef(page),
});

export const tagEvidence = (page: PageFacts, tag: string): PageEvidence => ({
  kind: 'tag',
  ...pageRef(page),
  tag,
});

export const alikeEvidence = (page: PageFacts, other: PageFacts, likeness: number): PageEvidence => ({
  kind: 'alike',
  ...pageRef(page),
  other: other.id,
  likeness,
});

export const deviationEvidence = (page: PageFacts, deviation: string): PageEvidence => ({
  kind: 'deviation',
  ...pageRef(page),
  deviation,
});

/** Maximum number of pieces of evidence of one finding. */
export const maxEvidence = 3;

/** `1 page`, `2 pages`. */
export const countText = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

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
