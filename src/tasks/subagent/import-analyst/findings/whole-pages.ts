/** Pages without any link, without content, or present twice. */
import { plainLine } from '../../../../core/index.ts';
import { alikePairs } from '../likeness.ts';
import { isIsolatedAmong, type PageFacts } from '../survey.ts';
import { findMeantPages } from './broken-links.ts';
import {
  alikeEvidence,
  countText,
  type Draft,
  deviationEvidence,
  type Finder,
  listImportedPages,
  maxEvidence,
  noRepair,
  pageEvidenceOf,
  quoteEvidence,
} from './draft.ts';

export const orphans: Finder = (survey) => {
  const { pages, reachedFromOutside } = survey;
  // Pages that broken links connect are reported under those links.
  const meantPages = findMeantPages(survey);
  const isAlone = isIsolatedAmong(pages);
  return listImportedPages(survey)
    .filter((page) => isAlone(page) && !meantPages.has(page.id) && !reachedFromOutside.has(page.id))
    .sort((a, b) => b.words - a.words)
    .map((page): Draft => {
      const { opening } = page;
      return {
        kind: 'orphan',
        statement: plainLine(
          `No page leads to ${page.path} (${countText(page.words, 'word')}), and it leads to none`,
        ),
        pages: 1,
        evidence: [
          pageEvidenceOf(page, 'alone'),
          ...(opening === null ? [] : [quoteEvidence(page, opening.block, opening.quote)]),
        ],
        ...noRepair,
      };
    });
};

export const emptyPages: Finder = (survey) =>
  listImportedPages(survey)
    .filter(({ words, links }) => words === 0 && links.length === 0)
    .map((page) => ({
      kind: 'empty_page',
      statement: plainLine(`${page.path} has no text${page.front === '' ? '' : ' below its front matter'}`),
      pages: 1,
      evidence: [pageEvidenceOf(page, 'empty')],
      ...noRepair,
    }));

/** The least similarity of duplicates, 0 to 1. */
export const minLikeness = 0.85;

export const duplicates: Finder = (survey) => {
  const pages = listImportedPages(survey);
  const pairs = alikePairs(
    pages.map(({ sketch }) => sketch),
    minLikeness,
  );
  return groupPages(pages, pairs)
    .map((group): Draft => {
      const [first, ...others] = group as [PageFacts, ...PageFacts[]];
      const shownPaths = group.slice(0, 4).map(({ path }) => path);
      return {
        kind: 'duplicate',
        statement: plainLine(
          `${countText(group.length, 'page')} hold nearly the same text: ${shownPaths.join(', ')}${group.length > shownPaths.length ? ', …' : ''}`,
        ),
        pages: group.length,
        evidence: others.slice(0, maxEvidence).map((other) => alikeEvidence(other, first, minLikeness)),
        ...noRepair,
      };
    })
    .sort((a, b) => b.pages - a.pages);
};

/** Groups pages that are similar in pairs; the longest page represents the group. */
function groupPages(
  pages: readonly PageFacts[],
  pairs: readonly (readonly [number, number])[],
): readonly (readonly PageFacts[])[] {
  const parents = new Map<number, number>();
  const rootOf = (at: number): number => {
    const parent = parents.get(at) ?? at;
    return parent === at ? at : rootOf(parent);
  };
  for (const [a, b] of pairs) parents.set(rootOf(b), rootOf(a));
  const groups = new Map<number, PageFacts[]>();
  for (const at of new Set(pairs.flat())) {
    const group = groups.get(rootOf(at)) ?? [];
    group.push(pages[at]!);
    groups.set(rootOf(at), group);
  }
  return [...groups.values()].map((group) => group.sort((a, b) => b.words - a.words));
}

export const importDeviations: Finder = ({ deviations, byId }) =>
  deviations
    .filter(({ submitted }) => submitted.caller.kind === 'import')
    .flatMap(({ id, type, note, canonical_refs }): readonly Draft[] => {
      const page = canonical_refs.map((ref) => byId.get(ref)).find((pageFacts) => pageFacts !== undefined);
      return page === undefined
        ? []
        : [
            {
              kind: 'import_deviation',
              statement: plainLine(
                `The import and ${page.path} differ, and wait for the author: ${type}${note === '' ? '' : `, ${note}`}`,
              ),
              pages: 1,
              evidence: [deviationEvidence(page, id)],
              ...noRepair,
            },
          ];
    });
