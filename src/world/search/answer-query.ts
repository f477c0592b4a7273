import type { Completeness } from '../../core/index.ts';
import type { DocumentIndex, SearchHit } from '../../search/index.ts';
import type { PageOutline, WorldReader } from '../world.ts';
import { addLinkedPages } from './add-linked-pages.ts';
import { findBlocksAt, toDocumentPath, toPagePath } from './page-document.ts';
import type { PageHit, PageQuery, PageReply } from './page-search.ts';
import { findBestPart } from './snippet.ts';

const wideHits = 400;
/** The number of spare hits that are requested: some hits are dropped, and links raise others. */
const spareHits = 20;

/** Answers a query. `lateNotes`: notes on what the answer lacks because the index is behind. */
export async function answerQuery(
  world: WorldReader,
  index: Pick<DocumentIndex, 'search'>,
  query: PageQuery,
  lateNotes: readonly string[],
): Promise<PageReply> {
  const { wide = false, k = wide ? wideHits : 10, view = 'all', signal } = query;
  const scope = createScope(world, query);
  const { hits, completeness, notes } = await index.search({
    query: query.query,
    k: (view === 'all' ? k : 2 * k) + spareHits,
    wide,
    ...(scope !== null && { filter: scope }),
    ...(signal !== undefined && { signal }),
  });
  const spans = Map.groupBy(hits, ({ path }) => toPagePath(path));
  const scoreByPath = new Map([...spans].map(([path, [first]]) => [path, first!.score]));
  const words = splitWords(query.query);
  const pageHits: PageHit[] = [];
  for (const [path, score] of addLinkedPages(scoreByPath, world)) {
    if (pageHits.length >= k) break;
    const page = scope === null || scope.matches(toDocumentPath(path)) ? world.outline(path) : null;
    if (page === null) continue;
    const found = spans.get(path) ?? [null];
    for (const span of wide ? found : found.slice(0, 1)) {
      const hit = toPageHit(page, span, words);
      // Further parts of a page keep the ratio of their score to that of the first.
      const part = span === null ? 1 : span.score / (found[0]?.score || 1);
      if (view === 'all' || hit.lifecycle !== 'Candidate') pageHits.push({ ...hit, score: score * part });
    }
  }
  const whole: Completeness = lateNotes.length > 0 || completeness !== 'complete' ? 'partial' : 'complete';
  const ranked = pageHits.sort((pageHit, two) => two.score - pageHit.score).slice(0, k);
  return {
    hits: ranked.map((hit) => Object.freeze(hit)),
    completeness: whole,
    notes: [...lateNotes, ...notes],
  };
}

/** A hit on a page. `span` is null if only links led to the page. */
function toPageHit(page: PageOutline, span: SearchHit | null, words: ReadonlySet<string>): PageHit {
  const all = page.blocks;
  const within = span === null ? [] : findBlocksAt(all, span.start, span.end);
  const shownBlocks = within.length > 0 ? within : all.slice(0, 1);
  const { snippet, fromEnd } = findBestPart(shownBlocks.map((block) => block.text).join(''), words);
  const candidate = page.lifecycle === 'Candidate' || (within.length > 0 && within.every(isCandidate));
  return {
    page: page.id,
    path: page.path,
    title: page.title,
    lifecycle: candidate ? 'Candidate' : page.lifecycle,
    blocks: shownBlocks.map(({ id }) => id),
    found_in: span === null ? 'links' : within.length > 0 ? 'text' : 'title',
    snippet,
    shown: findBlockOfLine(shownBlocks, fromEnd)?.id ?? page.id,
    score: span?.score ?? 0,
    provenance: span?.provenance ?? 'graph',
  };
}

/** The block in which a line begins; `fromEnd`: the line, counted from the end. */
function findBlockOfLine<Block extends { readonly text: string }>(
  blocks: readonly Block[],
  fromEnd: number,
): Block | undefined {
  const ends = (text: string): number => text.split('\n').length - 1;
  let line = blocks.reduce((sum, { text }) => sum + ends(text), 1) - fromEnd;
  for (const block of blocks) {
    line -= ends(block.text);
    if (line < 0) return block;
  }
  return blocks.at(-1);
}

const isCandidate = ({ lifecycle }: Pick<PageOutline, 'lifecycle'>): boolean => lifecycle === 'Candidate';

interface Scope {
  readonly key: string;
  readonly matches: (path: string) => boolean;
}

/** The scope of a query; null if every page is in scope. */
function createScope(world: WorldReader, { under, tag }: PageQuery): Scope | null {
  if (tag !== undefined) {
    const paths = listTagged(world, tag, under);
    return { key: JSON.stringify([under, tag, world.head()]), matches: (path) => paths.has(path) };
  }
  if (under === undefined) return null;
  const matches = (path: string): boolean => {
    const page = toPagePath(path);
    return page === under || page.startsWith(`${under}/`);
  };
  return { key: JSON.stringify([under]), matches };
}

const pageSize = 1_000;

function listTagged(world: WorldReader, tag: string, under: string | undefined): ReadonlySet<string> {
  const paths = new Set<string>();
  for (let after: string | undefined; ; ) {
    const pages = world.pages({
      tag,
      view: 'all',
      limit: pageSize,
      ...(under !== undefined && { under }),
      ...(after !== undefined && { after }),
    });
    for (const { path } of pages) paths.add(toDocumentPath(path));
    if (pages.length < pageSize) return paths;
    after = pages.at(-1)!.path;
  }
}

function splitWords(query: string): ReadonlySet<string> {
  return new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}
