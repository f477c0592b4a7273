/** Links to an existing page, but to a missing heading or block in it; and links whose name fits several pages. */
import { plainLine } from '../../../../core/index.ts';
import { lastPart } from '../names.ts';
import { hasAnchor, type PageFacts, type WrittenLink } from '../survey.ts';
import {
  countText,
  type Draft,
  type Finder,
  groupBy,
  linkEvidence,
  listImportedPages,
  maxEvidence,
  missingAnchorEvidence,
  noRepair,
  pageEvidenceOf,
} from './draft.ts';

export const brokenAnchors: Finder = (survey) => {
  const broken = listImportedPages(survey).flatMap((page) =>
    page.links.flatMap((link) => {
      const to = link.to === null ? undefined : survey.byId.get(link.to);
      return to === undefined || link.anchor === '' || hasAnchor(to, link.anchor) ? [] : [{ page, link, to }];
    }),
  );
  return [...groupBy(broken, ({ to, link }) => `${to.id}#${link.anchor}`)]
    .map(([, found]): Draft => {
      const { link, to } = found[0]!;
      const pages = [...new Set(found.map(({ page }) => page))];
      return {
        kind: 'broken_anchor',
        statement: plainLine(
          `${to.path} has no heading or block ${link.anchor}: ${countText(found.length, 'link')} on ${countText(pages.length, 'page')}`,
        ),
        pages: pages.length,
        evidence: found
          .slice(0, maxEvidence)
          .map((each) => missingAnchorEvidence(each.page, each.link, each.to.id)),
        ...noRepair,
      };
    })
    .sort((a, b) => b.pages - a.pages);
};

export const ambiguousLinks: Finder = (survey) => {
  const pagesByName = groupBy(survey.pages, ({ path }) => lastPart(path).toLowerCase());
  const candidatesFor = (link: WrittenLink): readonly PageFacts[] =>
    link.to === null || link.kind === 'markdown' || link.place.includes('/')
      ? []
      : (pagesByName.get(link.place.toLowerCase()) ?? []);
  const found = listImportedPages(survey).flatMap((page) =>
    page.links.flatMap((link) => {
      const pages = candidatesFor(link);
      const to = link.to === null ? undefined : survey.byId.get(link.to);
      // The link is unambiguous: it gives the exact path, or the page is in the same folder.
      const isUnambiguous = to?.path === link.place || to?.path === `${folderOf(page.path)}${link.place}`;
      return pages.length < 2 || to === undefined || isUnambiguous ? [] : [{ page, link, to, pages }];
    }),
  );
  return [...groupBy(found, ({ link }) => link.place.toLowerCase())]
    .map(([, links]): Draft => {
      const { link, to, pages } = links[0]!;
      const pageCount = new Set(links.map(({ page }) => page.id)).size;
      return {
        kind: 'ambiguous_link',
        statement: plainLine(
          `${countText(pages.length, 'page')} bear the name ${link.place} (${pages
            .slice(0, 4)
            .map(({ path }) => path)
            .join(', ')}); ` +
            `${countText(links.length, 'link')} on ${countText(pageCount, 'page')} name no folder, and lead to ${to.path}`,
        ),
        pages: pageCount,
        evidence: [
          ...links.slice(0, 2).map((each) => linkEvidence(each.page, each.link)),
          ...pages.slice(0, 2).map((pageFacts) => pageEvidenceOf(pageFacts, 'page')),
        ],
        ...noRepair,
      };
    })
    .sort((a, b) => b.pages - a.pages);
};

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
