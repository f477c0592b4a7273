/**
 * Reads the text around a place on a page, in each view: with all blocks, with the accepted ones, or with these and
 * one candidate.
 */
import type { Database } from '../../store/index.ts';
import { listShownBlocks } from '../read/page-text.ts';
import type { BlockRow, PageRow } from '../rows/rows.ts';
import type { Surroundings } from './fit.ts';

/**
 * Each candidate among this many blocks on each side gets a view with the accepted blocks and itself, since it may be
 * promoted alone.
 */
const maxNeighbours = 3;

/** The surroundings of an existing block. */
export function readSurroundings(db: Database, page: PageRow, id: string): readonly Surroundings[] {
  const all = listShownBlocks(db, page, 'all');
  const index = all.findIndex((block) => block.id === id);
  return buildViews(page, all, index, index + 1);
}

/** The surroundings of an insertion at a position, counted over all blocks. */
export function readSurroundingsAt(db: Database, page: PageRow, position: number): readonly Surroundings[] {
  return buildViews(page, listShownBlocks(db, page, 'all'), position, position);
}

/** The text of the page with all of its blocks. The first view contains all of them. */
export function joinSurroundings([all]: readonly Surroundings[]): string {
  return all === undefined ? '' : all.above + all.now + all.below;
}

/** The surroundings of a candidate as if it were promoted. */
export function readPromotedSurroundings(db: Database, page: PageRow, id: string): Surroundings {
  const all = listShownBlocks(db, page, 'all');
  const index = all.findIndex((block) => block.id === id);
  const joinAccepted = (blocks: readonly BlockRow[]) =>
    blocks
      .filter(({ lifecycle }) => lifecycle !== 'Candidate')
      .map(({ text }) => text)
      .join('');
  return {
    above: page.front + joinAccepted(all.slice(0, index)),
    now: '',
    below: joinAccepted(all.slice(index + 1)),
  };
}

/** The surroundings of the blocks from index `from` to before `to`, in each view. Every view includes these blocks. */
function buildViews(
  page: PageRow,
  all: readonly BlockRow[],
  from: number,
  to: number,
): readonly Surroundings[] {
  const views: Surroundings[] = [];
  const addView = (isShown: (block: BlockRow) => boolean) => {
    const joinTexts = (blocks: readonly BlockRow[]) =>
      blocks
        .filter(isShown)
        .map((block) => block.text)
        .join('');
    const view: Surroundings = {
      above: page.front + joinTexts(all.slice(0, from)),
      now: all
        .slice(from, to)
        .map((block) => block.text)
        .join(''),
      below: joinTexts(all.slice(to)),
    };
    if (!views.some((surroundings) => surroundings.above === view.above && surroundings.below === view.below))
      views.push(view);
  };
  addView(() => true);
  if (page.lifecycle === 'Candidate') return views;
  const isAccepted = ({ lifecycle }: BlockRow) => lifecycle !== 'Candidate';
  addView(isAccepted);
  const neighbours = [
    ...all.slice(Math.max(0, from - maxNeighbours), from),
    ...all.slice(to, to + maxNeighbours),
  ];
  for (const candidate of neighbours)
    if (!isAccepted(candidate)) addView((block) => isAccepted(block) || block === candidate);
  return views;
}
