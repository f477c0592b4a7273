/** Links to pages that don't exist: mistyped, moved, never written, or with target and label swapped. */
import { plainLine } from '../../../../core/index.ts';
import { lastPart, type NearNames, nearNames, plainName } from '../names.ts';
import type { Repair } from '../report.ts';
import type { PageFacts, Survey, WrittenLink } from '../survey.ts';
import {
  count,
  type Draft,
  type Finder,
  groupBy,
  linkEvidence,
  listImportedPages,
  maxEvidence,
} from './draft.ts';

interface Broken {
  readonly page: PageFacts;
  readonly link: WrittenLink;
}

/** If this many other pages link to it, a page is missing. */
const wantedBy = 3;

const findBroken = (survey: Survey): readonly Broken[] =>
  listImportedPages(survey).flatMap((page) =>
    page.links
      .filter(({ to, file, place }) => to === null && !file && place !== '')
      .map((link) => ({ page, link })),
  );

/** With fewer links there is no habit: a single label may happen to be a page's name. */
const custom = 3;

/** Looks pages up by the names in links, preferring pages of the imported part. */
function nearPages({ pages, pathsOutside }: Survey): NearNames {
  const inside = nearNames(pages.map(({ path }) => path));
  if (pathsOutside.length === 0) return inside;
  const outside = nearNames(pathsOutside);
  return {
    same: (target) => inside.same(target) ?? outside.same(target),
    close: (target) => inside.close(target) ?? outside.close(target),
  };
}

/** Broken links, by the kind of mistake. */
function sortBroken(survey: Survey) {
  const near = nearPages(survey);
  const aliases = new Set(survey.pages.flatMap((page) => page.aliases.map(plainName)));
  const all = findBroken(survey);
  const turned = all.filter(
    ({ link: { label, place } }) =>
      label !== null &&
      near.same(place) === null &&
      (near.same(label.split('#')[0]!) !== null || aliases.has(plainName(label))),
  );
  const asRead = listImportedPages(survey).flatMap((page) =>
    page.links.filter(({ to, label }) => to !== null && label !== null),
  );
  const reversed =
    turned.length >= custom && turned.length > asRead.length ? new Set(turned) : new Set<Broken>();
  const broken = all
    .filter((broken) => !reversed.has(broken))
    .map((broken): Broken => {
      const { label } = broken.link;
      if (reversed.size === 0 || !label?.includes('://')) return broken;
      // With target and label swapped, the page is still missing: then the target is wrong, not the label.
      return { ...broken, link: { ...broken.link, place: label.split('#')[0]! } };
    });
  return { near, reversed: [...reversed], broken };
}

/** Ids of pages that broken links connect, if the links are corrected. */
export function findMeantPages(survey: Survey): ReadonlySet<string> {
  const { near, reversed, broken } = sortBroken(survey);
  const byPath = new Map(survey.pages.map(({ path, id }) => [path, id]));
  const named = [
    ...reversed.map(({ page, link }) => ({ page, name: link.label!.split('#')[0]! })),
    ...broken.map(({ page, link }) => ({ page, name: link.place })),
  ];
  return new Set(
    named.flatMap(({ page, name }) => {
      const to = byPath.get(near.same(name) ?? '');
      if (near.same(name) === null) return [];
      return to === undefined ? [page.id] : [page.id, to];
    }),
  );
}

const distinct = (found: readonly Broken[]): readonly PageFacts[] => [
  ...new Set(found.map(({ page }) => page)),
];

/** One link of each page, then further ones. */
const some = (found: readonly Broken[]) =>
  distinct(found)
    .slice(0, maxEvidence)
    .map((page) => linkEvidence(page, found.find((broken) => broken.page === page)!.link));

export const brokenLinks: Finder = (survey) => {
  const { near, broken } = sortBroken(survey);
  const paths = [...survey.pages.map(({ path }) => path), ...survey.pathsOutside];
  const folders = new Set(paths.flatMap(foldersOf));
  const drafts = [...groupBy(broken, ({ link }) => plainName(link.place) || link.place)].map(
    ([, found]): Draft => {
      const { place } = found[0]!.link;
      const pages = distinct(found);
      const same = near.same(place);
      const likely = same ?? near.close(place);
      const wiki = found.filter(({ link }) => link.kind !== 'markdown');
      const folder = folders.has(place.replace(/^[./]+|\/+$/g, '').toLowerCase());
      const what = folder ? 'is a folder and no page' : 'leads to no page';
      const hint = likely === null ? '' : `; ${same === null ? 'one letter off' : 'the name'} of ${likely}`;
      return {
        kind: 'broken_link',
        statement: plainLine(
          `A link to ${place} ${what}: ${count(found.length, 'link')} on ${count(pages.length, 'page')}${hint}`,
        ),
        pages: pages.length,
        evidence: some(found),
        likely,
        certain: same !== null || (likely === null && !folder && pages.length >= wantedBy),
        repairs:
          likely !== null
            ? relinks(wiki, likely, paths)
            : !folder && pages.length >= wantedBy && wiki.length > 0 && !place.includes('://')
              ? [{ kind: 'create_page', path: place }]
              : [],
      };
    },
  );
  return drafts.sort((a, b) => b.pages - a.pages);
};

function relinks(found: readonly Broken[], to: string, paths: readonly string[]): readonly Repair[] {
  const bare = lastPart(to);
  const alone = paths.filter((path) => lastPart(path).toLowerCase() === bare.toLowerCase()).length === 1;
  const inBlocks = [...new Map(found.map((broken) => [broken.link.from, broken])).values()];
  return inBlocks.map(({ page, link }) => ({
    kind: 'relink',
    page: page.id,
    block: link.from,
    from: link.place,
    to,
    // A short target stays short if the short form is unambiguous.
    target: alone && !link.place.includes('/') ? bare : to,
  }));
}

function foldersOf(path: string): readonly string[] {
  const parts = path.toLowerCase().split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** `[[label|page]]`, as Dendron and MediaWiki write it; this workspace reads `[[page|label]]`. */
export const reversedLinks: Finder = (survey) => {
  const { reversed } = sortBroken(survey);
  if (reversed.length === 0) return [];
  const pages = distinct(reversed);
  const { link } = reversed[0]!;
  return [
    {
      kind: 'reversed_link',
      statement: plainLine(
        `${count(reversed.length, 'link')} on ${count(pages.length, 'page')} lead nowhere since the label comes first, ` +
          `as in [[${link.place}|${link.label}]]: the second part is the name of a page`,
      ),
      pages: pages.length,
      evidence: some(reversed),
      likely: 'the links are to be turned round before the vault is imported, or by its own program',
      certain: false,
      repairs: [],
    },
  ];
};
