/**
 * Adds the pages that the best pages link to: a text about a subject links to the page of that subject.
 * Measured in bench/pages.ts; the idea is spreading activation (Crestani, 1997).
 */
import type { WorldReader } from '../world.ts';

/** The number of the best pages whose links are followed. */
const followedPages = 5;
/** The share of its score that a page passes to the pages it links to, divided by the square root of their number. */
const passedShare = 0.4;
/** The maximum score from links, relative to the best score: links never outrank the page that matches best itself. */
const maxFromLinks = 0.99;

/** The scores with those from links, by path, the best first. Adds pages, and raises pages that matched themselves. */
export function addLinked(
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
    // Scores above the maximum are compressed below the best score, and keep their order.
    allScores.set(
      page,
      sum <= maxFromLinks * top ? sum : top * (maxFromLinks + (1 - maxFromLinks) * (1 - top / (sum + top))),
    );
  }
  return new Map([...allScores].sort((one, two) => two[1] - one[1]));
}
