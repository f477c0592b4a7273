/** Questions about one vault, of every kind there is a program for, chosen and answered from the files themselves. */
import type { Asked } from './asked.ts';
import type { VaultPage } from './vault-pages.ts';

type Pair = readonly [name: string, count: number];

const byCount = (counts: ReadonlyMap<string, number>): readonly Pair[] =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

function tally(sets: Iterable<Iterable<string>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const one of new Set(set)) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

const linksRule =
  'A page links to another by [[target]], [[target|label]], [[target#heading]] or [label](target#heading) outside of code. ' +
  'A target names a page by its path beside the page, else by its path from the root, else by its file name alone ' +
  '(the first in order of path), without regard to case and with or without .md.';

export function pageQuestions(pages: readonly VaultPage[]): readonly Asked[] {
  const byName = new Map(pages.map((page) => [page.name, page]));
  const linksIn = tally(pages.map(({ links }) => links));
  const mostIn = byCount(linksIn);
  const mostOut = pages.toSorted((a, b) => b.links.size - a.links.size || (a.name < b.name ? -1 : 1));
  const tags = byCount(tally(pages.map((page) => page.tags)));
  const keys = byCount(tally(pages.map(({ front }) => front.keys()))).filter(([key]) => key !== 'tags');

  const asked: Asked[] = [];
  const ask = (kind: string, question: string, given: Asked['given'], truth: unknown) =>
    asked.push({ kind, question, given, truth });
  const first = (pairs: readonly Pair[], k: number) => pairs.slice(0, k).map((pair) => [...pair]);

  ask(
    'most_linked',
    `Which five pages do the most other pages link to? ${linksRule}`,
    { k: 5 },
    first(mostIn, 5),
  );
  ask(
    'orphans',
    `How many pages link to no other page, and are linked to by none? ${linksRule}`,
    {},
    pages.filter(({ name, links }) => links.size === 0 && !linksIn.has(name)).length,
  );
  ask(
    'both_ways',
    `How many pairs of pages link to each other? ${linksRule}`,
    {},
    pages.flatMap(({ name, links }) =>
      [...links].filter((to) => name < to && byName.get(to)!.links.has(name)),
    ).length,
  );
  for (const { name } of [mostOut[0]!, mostOut[Math.min(9, mostOut.length - 1)]!]) {
    const layers = layersFrom(name, byName);
    ask(
      'two_hops',
      `How many pages are two links away from ${name}, and no fewer? ${linksRule}`,
      { page: name },
      layers[1]?.size ?? 0,
    );
    ask(
      'farthest',
      `How many links away is the farthest page that ${name} leads to, and to how many does it lead? ${linksRule}`,
      { page: name },
      [layers.length, layers.reduce((sum, layer) => sum + layer.size, 0)],
    );
  }
  ask(
    'broken',
    `How many links lead to no page, those to files with another ending left out? ${linksRule}`,
    {},
    pages.reduce((sum, { broken }) => sum + broken, 0),
  );
  if (tags.length > 1) {
    const [tag] = tags[0]!;
    const beside = byCount(
      tally(
        pages.filter((page) => page.tags.has(tag)).map((page) => [...page.tags].filter((one) => one !== tag)),
      ),
    );
    const other = beside[0]?.[0] ?? tags[1]![0];
    ask(
      'tagged_not',
      `How many pages have the tag #${tag} and not #${other}, in the front matter or the text?`,
      { with: tag, without: other },
      pages.filter((page) => page.tags.has(tag) && !page.tags.has(other)).length,
    );
  }
  for (const [key] of keys.slice(0, 2)) {
    const held = pages.filter(({ front }) => (front.get(key) ?? '') !== '');
    const greatest = held.toSorted(
      (a, b) => compare(b.front.get(key)!, a.front.get(key)!) || compare(a.name, b.name),
    );
    ask(
      'greatest',
      `Which page has the greatest value of the front matter's key ${key}, compared as texts, and how many have one?`,
      { key },
      held.length === 0 ? [] : [greatest[0]!.name, held.length],
    );
  }
  const named = mostIn.map(([name]) => name).filter((name) => /^[A-Za-z]{5,}$/.test(fileName(name)));
  for (const page of named.slice(0, 2)) {
    const name = fileName(page);
    ask(
      'mentions',
      `How many pages say "${name}" as a word, in any case, outside of code, and neither are nor link to ${page}? ${linksRule}`,
      { name, page },
      pages.filter((one) => one.name !== page && !one.links.has(page) && one.words.has(name.toLowerCase()))
        .length,
    );
  }
  ask(
    'headings',
    'Which three pages have the most headings, and how many?',
    { k: 3 },
    first(byCount(new Map(pages.map(({ name, headings }) => [name, headings]))), 3),
  );
  ask(
    'hosts',
    'Which five hosts do the most pages lead to by http or https?',
    { k: 5 },
    first(byCount(tally(pages.map(({ hosts }) => hosts))), 5),
  );
  return asked;
}

const fileName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What is one link away, two, three …, each page in the first layer that reaches it. */
function layersFrom(start: string, byName: ReadonlyMap<string, VaultPage>): readonly ReadonlySet<string>[] {
  const seen = new Set([start]);
  const layers: Set<string>[] = [];
  let edge = new Set([start]);
  for (;;) {
    const next = new Set(
      [...edge].flatMap((name) => [...byName.get(name)!.links]).filter((to) => !seen.has(to)),
    );
    if (next.size === 0) return layers;
    for (const name of next) seen.add(name);
    layers.push(next);
    edge = next;
  }
}
