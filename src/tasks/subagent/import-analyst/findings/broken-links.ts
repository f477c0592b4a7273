/** Links to pages that don't exist: mistyped, moved, never written, or with target and label swapped. */
import { plainLine } from '../../../../core/index.ts';
import { createNearNames, lastPart, type NearNames, plainName } from '../names.ts';
import type { Repair } from '../report.ts';
import type { PageFacts, Survey, WrittenLink } from '../survey.ts';
import {
  countText,
  type Draft,
  type Finder,
  groupBy,
  linkEvidence,
  listImportedPages,
  maxEvidence,
} from './draft.ts';

interface BrokenLink {
  readonly page: PageFacts;
  readonly link: WrittenLink;
}

/** A page that does not exist is proposed if at least this many pages link to it. */
const minLinkingPages = 3;

const findBroken = (survey: Survey): readonly BrokenLink[] =>
  listImportedPages(survey).flatMap((page) =>
    page.links
      .filter(({ to, file, place }) => to === null && !file && place !== '')
      .map((link) => ({ page, link })),
  );

/** With fewer such links, the reversed order is no habit: a single label may happen to be a page's name. */
const minReversed = 3;

/** Looks pages up by the names in links, preferring pages of the imported part. */
function nearPages({ pages, pathsOutside }: Survey): NearNames {
  const insideNames = createNearNames(pages.map(({ path }) => path));
  if (pathsOutside.length === 0) return insideNames;
  const outsideNames = createNearNames(pathsOutside);
  return {
    same: (target) => insideNames.same(target) ?? outsideNames.same(target),
    close: (target) => insideNames.close(target) ?? outsideNames.close(target),
  };
}

/** Separates links with target and label swapped from the other broken links. */
function classifyBroken(survey: Survey) {
  const near = nearPages(survey);
  const aliases = new Set(survey.pages.flatMap((page) => page.aliases.map(plainName)));
  const allBroken = findBroken(survey);
  const maybeReversed = allBroken.filter(
    ({ link: { label, place } }) =>
      label !== null &&
      near.same(place) === null &&
      (near.same(label.split('#')[0]!) !== null || aliases.has(plainName(label))),
  );
  const regularLinks = listImportedPages(survey).flatMap((page) =>
    page.links.filter(({ to, label }) => to !== null && label !== null),
  );
  const reversed =
    maybeReversed.length >= minReversed && maybeReversed.length > regularLinks.length
      ? new Set(maybeReversed)
      : new Set<BrokenLink>();
  const broken = allBroken
    .filter((broken) => !reversed.has(broken))
    .map((broken): BrokenLink => {
      const { label } = broken.link;
      if (reversed.size === 0 || !label?.includes('://')) return broken;
      // With target and label swapped, the page is still missing: then the target is wrong, not the label.
      return { ...broken, link: { ...broken.link, place: label.split('#')[0]! } };
    });
  return { near, reversed: [...reversed], broken };
}

/** Ids of pages that broken links connect, if the links are corrected. */
export function findMeantPages(survey: Survey): ReadonlySet<string> {
  const { near, reversed, broken } = classifyBroken(survey);
  const byPath = new Map(survey.pages.map(({ path, id }) => [path, id]));
  const namedPages = [
    ...reversed.map(({ page, link }) => ({ page, name: link.label!.split('#')[0]! })),
    ...broken.map(({ page, link }) => ({ page, name: link.place })),
  ];
  return new Set(
    namedPages.flatMap(({ page, name }) => {
      const to = byPath.get(near.same(name) ?? '');
      if (near.same(name) === null) return [];
      return to === undefined ? [page.id] : [page.id, to];
    }),
  );
}

const distinctPages = (found: readonly BrokenLink[]): readonly PageFacts[] => [
  ...new Set(found.map(({ page }) => page)),
];

/** One broken link of each page, up to the maximum number of pieces of evidence. */
const evidenceOf = (found: readonly BrokenLink[]) =>
  distinctPages(found)
    .slice(0, maxEvidence)
    .map((page) => linkEvidence(page, found.find((broken) => broken.page === page)!.link));

export const brokenLinks: Finder = (survey) => {
  const { near, broken } = classifyBroken(survey);
  const paths = [...survey.pages.map(({ path }) => path), ...survey.pathsOutside];
  const folders = new Set(paths.flatMap(foldersOf));
  const drafts = [...groupBy(broken, ({ link }) => plainName(link.place) || link.place)].map(
    ([, found]): Draft => {
      const { place } = found[0]!.link;
      const pages = distinctPages(found);
      const sameName = near.same(place);
      const likely = sameName ?? near.close(place);
      const wikiLinks = found.filter(({ link }) => link.kind !== 'markdown');
      const isFolder = folders.has(place.replace(/^[./]+|\/+$/g, '').toLowerCase());
      const problem = isFolder ? 'is a folder and no page' : 'leads to no page';
      const hint =
        likely === null ? '' : `; ${sameName === null ? 'one letter off' : 'the name'} of ${likely}`;
      return {
        kind: 'broken_link',
        statement: plainLine(
          `A link to ${place} ${problem}: ${countText(found.length, 'link')} on ${countText(pages.length, 'page')}${hint}`,
        ),
        pages: pages.length,
        evidence: evidenceOf(found),
        likely,
        certain: sameName !== null || (likely === null && !isFolder && pages.length >= minLinkingPages),
        repairs:
          likely !== null
            ? relinks(wikiLinks, likely, paths)
            : !isFolder && pages.length >= minLinkingPages && wikiLinks.length > 0 && !place.includes('://')
              ? [{ kind: 'create_page', path: place }]
              : [],
      };
    },
  );
  return drafts.sort((a, b) => b.pages - a.pages);
};

function relinks(found: readonly BrokenLink[], to: string, paths: readonly string[]): readonly Repair[] {
  const baseName = lastPart(to);
  const isUniqueName =
    paths.filter((path) => lastPart(path).toLowerCase() === baseName.toLowerCase()).length === 1;
  const onePerBlock = [...new Map(found.map((broken) => [broken.link.from, broken])).values()];
  return onePerBlock.map(({ page, link }) => ({
    kind: 'relink',
    page: page.id,
    block: link.from,
    from: link.place,
    to,
    // A short target stays short if the short form is unambiguous.
    target: isUniqueName && !link.place.includes('/') ? baseName : to,
  }));
}

function foldersOf(path: string): readonly string[] {
  const parts = path.toLowerCase().split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** `[[label|page]]`, as Dendron and MediaWiki write it; this workspace reads `[[page|label]]`. */
export const reversedLinks: Finder = (survey) => {
  const { reversed } = classifyBroken(survey);
  if (reversed.length === 0) return [];
  const pages = distinctPages(reversed);
  const { link } = reversed[0]!;
  return [
    {
      kind: 'reversed_link',
      statement: plainLine(
        `${countText(reversed.length, 'link')} on ${countText(pages.length, 'page')} lead nowhere since the label comes first, ` +
          `as in [[${link.place}|${link.label}]]: the second part is the name of a page`,
      ),
      pages: pages.length,
      evidence: evidenceOf(reversed),
      likely: 'the links are to be turned round before the vault is imported, or by its own program',
      certain: false,
      repairs: [],
    },
  ];
};
