/** The texts around a place on a page, in each of the views in which it is read. */
import type { Database } from '../../store/index.ts';
import { listShownBlocks } from '../read/page-text.ts';
import type { BlockRow, PageRow } from '../rows/rows.ts';
import type { Surroundings } from './fit.ts';

/** Maximum number of candidates on either side that are considered one by one, since each may be promoted alone. */
const maxNeighbours = 3;

/** The surroundings of an existing block. */
export function aroundBlock(db: Database, page: PageRow, id: string): readonly Surroundings[] {
  const all = listShownBlocks(db, page, 'all');
  const at = all.findIndex((block) => block.id === id);
  return viewsOf(page, all, at, at + 1);
}

/** The surroundings of the place before a position, counted over all blocks. */
export function aroundPlace(db: Database, page: PageRow, position: number): readonly Surroundings[] {
  return viewsOf(page, listShownBlocks(db, page, 'all'), position, position);
}

/** The text of the page with all of its blocks: the first view shows them. */
export function wholeText([all]: readonly Surroundings[]): string {
  return all === undefined ? '' : all.above + all.now + all.below;
}

/** The surroundings of a candidate as if it were promoted. */
export function surroundingsOfPromoted(db: Database, page: PageRow, id: string): Surroundings {
  const all = listShownBlocks(db, page, 'all');
  const at = all.findIndex((block) => block.id === id);
  const read = (blocks: readonly BlockRow[]) =>
    blocks
      .filter(({ lifecycle }) => lifecycle !== 'Candidate')
      .map(({ text }) => text)
      .join('');
  return { above: page.front + read(all.slice(0, at)), now: '', below: read(all.slice(at + 1)) };
}

/**
 * The surroundings of a place in each view. The blocks from `from` to before `to` are the place, and part of every
 * view.
 */
function viewsOf(page: PageRow, all: readonly BlockRow[], from: number, to: number): readonly Surroundings[] {
  const views: Surroundings[] = [];
  const add = (shown: (block: BlockRow) => boolean) => {
    const text = (blocks: readonly BlockRow[]) =>
      blocks
        .filter(shown)
        .map((block) => block.text)
        .join('');
    const view: Surroundings = {
      above: page.front + text(all.slice(0, from)),
      now: all
        .slice(from, to)
        .map((block) => block.text)
        .join(''),
      below: text(all.slice(to)),
    };
    if (!views.some((surroundings) => surroundings.above === view.above && surroundings.below === view.below))
      views.push(view);
  };
  add(() => true);
  if (page.lifecycle === 'Candidate') return views;
  const isRead = ({ lifecycle }: BlockRow) => lifecycle !== 'Candidate';
  add(isRead);
  const beside = [
    ...all.slice(Math.max(0, from - maxNeighbours), from),
    ...all.slice(to, to + maxNeighbours),
  ];
  for (const candidate of beside)
    if (!isRead(candidate)) add((block) => isRead(block) || block === candidate);
  return views;
}
