/**
 * Adds the pages that the best pages link to, since a text about a subject links to the page of that subject. This is
 * spreading activation (Crestani, 1997); measured in bench/pages.ts.
 */
import type { WorldReader } from '../world.ts';

/** How many of the best pages have their links followed. */
const followedPages = 5;
/**
 * The share of its score that a page passes to each linked page, before division by the square root of their number.
 */
const passedShare = 0.4;
/** Scores with links are compressed above this share of the best score, so that they never reach it. */
const maxFromLinks = 0.99;

/** The scores with those from links, by path, the best first. */
export function addLinkedPages(
  scores: ReadonlyMap<string, number>,
  world: Pick<WorldReader, 'neighbours'>,
): ReadonlyMap<string, number> {
  const best = [...scores].slice(0, followedPages);
  const [first, top] = best[0] ?? ['', 0];
  const linksByPage = Map.groupBy(world.neighbours(best.map(([page]) => page)), ({ from }) => from);
  const gained = new Map<string, number>();
  for (const [page, score] of best) {
    const targets = linksByPage.get(page) ?? [];
    const share = (passedShare * score) / Math.sqrt(targets.length);
    for (const { to } of targets) gained.set(to, (gained.get(to) ?? 0) + share);
  }
  const allScores = new Map(scores);
  for (const [page, gain] of gained) {
    if (page === first) continue;
    const sum = (scores.get(page) ?? 0) + gain;
    // Compressed scores stay below the best one, and keep their order.
    allScores.set(
      page,
      sum <= maxFromLinks * top ? sum : top * (maxFromLinks + (1 - maxFromLinks) * (1 - top / (sum + top))),
    );
  }
  return new Map([...allScores].sort((one, two) => two[1] - one[1]));
}
