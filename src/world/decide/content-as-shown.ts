/** Records which state of an inbox item or a page was shown to a person, since only that may be decided on. */
import type { Database } from '../../store/index.ts';
import { type BlockRow, blocksOf, findBlock, findPage, type PageRow } from '../rows/rows.ts';
import type { Deviation, InboxItem, PageText } from '../world.ts';
import { findDeviation } from './deviations.ts';
import { preview } from './preview.ts';
import {
  blockAsShown,
  headAsShown,
  pageAsShown,
  recordShown,
  type ShownContent,
  stateOf,
} from './shown-rows.ts';

/** Records items and pages as shown, if they have not changed since they were printed. */
export function keepShown(
  db: Database,
  person: string,
  shown: readonly (InboxItem | PageText)[],
  now: number,
): void {
  const shownContents = shown.flatMap((each) =>
    'blocks' in each ? shownOfPage(db, each) : shownOfItem(db, each),
  );
  for (const content of shownContents) recordShown(db, person, content, now);
}

function shownOfPage(db: Database, read: PageText): readonly ShownContent[] {
  const page = findPage(db, read.id);
  if (page === null || page.deleted) return [];
  const candidates = read.blocks.flatMap(({ id, text }) => {
    const block = findBlock(db, id);
    if (block === null || block.deleted || block.lifecycle !== 'Candidate') return [];
    const content = blockAsShown(db, block, page);
    return content.text === text ? [content] : [];
  });
  if (page.lifecycle !== 'Candidate') return candidates;
  const whole = pageAsShown(db, page);
  const isUnchanged =
    whole.text === read.front + read.blocks.map(({ text }) => text).join('') && page.path === read.path;
  return isUnchanged ? [...candidates, whole, headAsShown(page)] : candidates;
}

function shownOfItem(db: Database, item: InboxItem): readonly ShownContent[] {
  if (item.kind === 'deviation') {
    const deviation = findDeviation(db, item.id);
    if (deviation?.status !== 'open') return [];
    const { before, after, conflicts } = preview(db, deviation);
    const isUnchanged =
      before === item.before && after === item.after && conflicts.length === item.conflicts.length;
    return isUnchanged ? [deviationAsShown(db, deviation)] : [];
  }
  if (item.kind === 'flag') return [];
  const block = findBlock(db, item.id);
  const page = findPage(db, block?.page_id ?? item.id);
  if (page === null || page.deleted || page.path !== item.path) return [];
  const contents = block === null ? candidatesOf(db, page) : [blockAsShown(db, block, page)];
  return contents[0]!.text === item.after ? contents : [];
}

/** A candidate page, and each of its parts. */
export function candidatesOf(db: Database, page: PageRow): readonly ShownContent[] {
  const blocks = blocksOf(db, page.n).filter(({ lifecycle }) => lifecycle === 'Candidate');
  const parts = blocks.map((block) => blockAsShown(db, block, page));
  return page.lifecycle === 'Candidate' ? [pageAsShown(db, page), headAsShown(page), ...parts] : parts;
}

/** The whole effect of accepting the deviation, as it was shown. */
export function deviationAsShown(db: Database, deviation: Deviation): ShownContent {
  const { before, after, conflicts } = preview(db, deviation);
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
    state: stateOf([before, after, conflicts, candidate?.path ?? null]),
  };
}

/** The revision of a deviation. It grows with the content that the deviation is about, and with its candidate. */
export function deviationRevision(db: Database, { canonical_refs: [first], candidate }: Deviation): number {
  return [first, candidate]
    .map((id) => contentOf(db, id ?? ''))
    .reduce((sum, content) => sum + (content?.revision ?? 0), 0);
}

function contentOf(db: Database, id: string): BlockRow | PageRow | null {
  return findBlock(db, id) ?? findPage(db, id);
}
