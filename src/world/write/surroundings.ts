/** Reads the text around a place on a page, in each view. */
import type { Database } from '../../store/index.ts';
import { listShownBlocks } from '../read/page-text.ts';
import type { BlockRow, PageRow } from '../rows/rows.ts';
import type { Surroundings } from './fit.ts';

/** Maximum number of candidates on either side that get a view of their own, since each may be promoted alone. */
const maxNeighbours = 3;

/** The surroundings of an existing block. */
export function readSurroundings(db: Database, page: PageRow, id: string): readonly Surroundings[] {
  const all = listShownBlocks(db, page, 'all');
  const at = all.findIndex((block) => block.id === id);
  return buildViews(page, all, at, at + 1);
}

/** The surroundings of an insertion at a position, counted over all blocks. */
export function readSurroundingsAt(db: Database, page: PageRow, position: number): readonly Surroundings[] {
  return buildViews(page, listShownBlocks(db, page, 'all'), position, position);
}

/** The text of the page with all of its blocks, which the first view has. */
export function joinSurroundings([all]: readonly Surroundings[]): string {
  return all === undefined ? '' : all.above + all.now + all.below;
}

/** The surroundings of a candidate as if it were promoted. */
export function readPromotedSurroundings(db: Database, page: PageRow, id: string): Surroundings {
  const all = listShownBlocks(db, page, 'all');
  const at = all.findIndex((block) => block.id === id);
  const read = (blocks: readonly BlockRow[]) =>
    blocks
      .filter(({ lifecycle }) => lifecycle !== 'Candidate')
      .map(({ text }) => text)
      .join('');
  return { above: page.front + read(all.slice(0, at)), now: '', below: read(all.slice(at + 1)) };
}

/** The surroundings of the blocks from `from` to before `to`, in each view. These blocks are part of every view. */
function buildViews(
  page: PageRow,
  all: readonly BlockRow[],
  from: number,
  to: number,
): readonly Surroundings[] {
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
