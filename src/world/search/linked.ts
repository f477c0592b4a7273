/**
 * Pages that the best pages link to, as results of their own: whoever writes about a thing links to its page.
 * Measured in bench/pages.ts; the idea is spreading activation (Crestani, 1997).
 */
import type { WorldReader } from '../world.ts';

/** The number of the best pages whose links are followed. */
const followed = 5;
/** The share of its score that a page passes to the pages it links to, divided by the square root of their number. */
const handedOn = 0.4;
/** The maximum score from links, relative to the best score: links never outrank the page that matches best itself. */
const highest = 0.99;

/** Scores by path, the best first. The added pages contain no words of the query themselves, or score low. */
export function addLinked(
  own: ReadonlyMap<string, number>,
  world: Pick<WorldReader, 'neighbours'>,
): ReadonlyMap<string, number> {
  const best = [...own].slice(0, followed);
  const [first, top] = best[0] ?? ['', 0];
  const led = Map.groupBy(world.neighbours(best.map(([page]) => page)), ({ from }) => from);
  const gained = new Map<string, number>();
  for (const [page, score] of best) {
    const targets = led.get(page) ?? [];
    const share = (handedOn * score) / Math.sqrt(targets.length);
    for (const { to } of targets) gained.set(to, (gained.get(to) ?? 0) + share);
  }
  const scores = new Map(own);
  for (const [page, gain] of gained) {
    if (page === first) continue;
    const sum = (own.get(page) ?? 0) + gain;
    // Scores above the maximum are pressed below the best score, and keep their order.
    scores.set(page, sum <= highest * top ? sum : top * (highest + (1 - highest) * (1 - top / (sum + top))));
  }
  return new Map([...scores].sort((one, two) => two[1] - one[1]));
}
