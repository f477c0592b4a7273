/** Records which state of inbox items and pages was shown to a person: only that state may be decided on. */
import type { Database } from '../../store/index.ts';
import { type BlockRow, findBlock, findPage, listBlocks, type PageRow } from '../rows/rows.ts';
import type { Deviation, InboxItem, PageText } from '../world.ts';
import { findDeviation } from './deviations.ts';
import { previewDeviation } from './preview.ts';
import {
  hashState,
  recordShown,
  type ShownContent,
  toShownBlock,
  toShownHead,
  toShownPage,
} from './shown-rows.ts';

/** Records items and pages as shown, unless they have changed since they were read. */
export function recordAllShown(
  db: Database,
  person: string,
  shown: readonly (InboxItem | PageText)[],
  now: number,
): void {
  const shownContents = shown.flatMap((each) =>
    'blocks' in each ? listPageContents(db, each) : listItemContents(db, each),
  );
  for (const content of shownContents) recordShown(db, person, content, now);
}

function listPageContents(db: Database, shownPage: PageText): readonly ShownContent[] {
  const page = findPage(db, shownPage.id);
  if (page === null || page.deleted) return [];
  const candidates = shownPage.blocks.flatMap(({ id, text }) => {
    const block = findBlock(db, id);
    if (block === null || block.deleted || block.lifecycle !== 'Candidate') return [];
    const content = toShownBlock(db, block, page);
    return content.text === text ? [content] : [];
  });
  if (page.lifecycle !== 'Candidate') return candidates;
  const pageContent = toShownPage(db, page);
  const isUnchanged =
    pageContent.text === shownPage.front + shownPage.blocks.map(({ text }) => text).join('') &&
    page.path === shownPage.path;
  return isUnchanged ? [...candidates, pageContent, toShownHead(page)] : candidates;
}

function listItemContents(db: Database, item: InboxItem): readonly ShownContent[] {
  if (item.kind === 'deviation') {
    const deviation = findDeviation(db, item.id);
    if (deviation?.status !== 'open') return [];
    const { before, after, conflicts } = previewDeviation(db, deviation);
    const isUnchanged =
      before === item.before && after === item.after && conflicts.length === item.conflicts.length;
    return isUnchanged ? [toShownDeviation(db, deviation)] : [];
  }
  if (item.kind === 'flag') return [];
  const block = findBlock(db, item.id);
  const page = findPage(db, block?.page_id ?? item.id);
  if (page === null || page.deleted || page.path !== item.path) return [];
  const contents = block === null ? listCandidates(db, page) : [toShownBlock(db, block, page)];
  return contents[0]!.text === item.after ? contents : [];
}

/** The candidates of a page: the page itself and its head, if it is one, and its candidate blocks. */
export function listCandidates(db: Database, page: PageRow): readonly ShownContent[] {
  const blocks = listBlocks(db, page.n).filter(({ lifecycle }) => lifecycle === 'Candidate');
  const blockContents = blocks.map((block) => toShownBlock(db, block, page));
  return page.lifecycle === 'Candidate'
    ? [toShownPage(db, page), toShownHead(page), ...blockContents]
    : blockContents;
}

/** The effect of accepting a deviation, in the form that is shown. */
export function toShownDeviation(db: Database, deviation: Deviation): ShownContent {
  const { before, after, conflicts } = previewDeviation(db, deviation);
  const candidate = deviation.candidate === null ? null : findPage(db, deviation.candidate);
  return {
    id: deviation.id,
    revision: deviationRevision(db, deviation),
    text: after ?? '',
    whole: [
      ...(candidate === null ? [] : [`[${candidate.path}]`]),
      ...(before === null ? ['[no text]'] : ['[present text]', before]),
      ...(after === null ? ['[would be removed]'] : ['[would become]', after]),
      ...conflicts.flatMap(({ base, ours, theirs }) => ['[conflict]', base, ours, theirs]),
    ].join('\n'),
    state: hashState([before, after, conflicts, candidate?.path ?? null]),
  };
}

/**
 * The sum of the revisions of the deviation's target and its candidate, so that it grows with every change of either.
 */
export function deviationRevision(db: Database, { canonical_refs: [first], candidate }: Deviation): number {
  return [first, candidate]
    .map((id) => findContent(db, id ?? ''))
    .reduce((sum, content) => sum + (content?.revision ?? 0), 0);
}

function findContent(db: Database, id: string): BlockRow | PageRow | null {
  return findBlock(db, id) ?? findPage(db, id);
}
