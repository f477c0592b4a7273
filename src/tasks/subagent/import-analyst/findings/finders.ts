/** All finders, in the order of the report. To add a kind, add its finder and a line here. */
import type { FindingKind } from '../report.ts';
import { brokenLinks, reversedLinks } from './broken-links.ts';
import type { Finder } from './draft.ts';
import { propertyKinds, propertyNames, similarTags, unreadFrontMatter } from './front-matter.ts';
import { ambiguousLinks, brokenAnchors } from './link-places.ts';
import { duplicates, emptyPages, importDeviations, orphans } from './whole-pages.ts';

export const finders: Readonly<Record<FindingKind, Finder>> = {
  import_deviation: importDeviations,
  reversed_link: reversedLinks,
  broken_link: brokenLinks,
  broken_anchor: brokenAnchors,
  ambiguous_link: ambiguousLinks,
  front_matter_unread: unreadFrontMatter,
  property_kind: propertyKinds,
  property_names: propertyNames,
  similar_tags: similarTags,
  duplicate: duplicates,
  empty_page: emptyPages,
  orphan: orphans,
};
