/** Reads the pages of a workspace, and keeps only the facts that the finders need: far less than the texts. */
import { createSketch, hashRuns, splitWords } from './likeness.ts';
import { plainName } from './names.ts';
import type { OpenDeviation, PageLink, PageReader, PageReading } from './read-pages.ts';

export interface PageFacts {
  readonly id: string;
  readonly path: string;
  readonly revision: number;
  readonly imported: boolean;
  readonly front: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** The anchors, in the form that links use. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly WrittenLink[];
  readonly words: number;
  /** Null if there are too few words to compare. */
  readonly sketch: Uint32Array | null;
  /** The first line of the page, as a quote. */
  readonly opening: { readonly block: string; readonly quote: string } | null;
}

export interface WrittenLink extends PageLink {
  /** The target without what follows `#`. */
  readonly place: string;
  /** What follows `#`; empty if nothing does. */
  readonly anchor: string;
  /** The second part of `[[place|label]]`. */
  readonly label: string | null;
  /** Whether the target is a file that is no page. */
  readonly file: boolean;
}

export interface Survey {
  readonly pages: readonly PageFacts[];
  readonly byId: ReadonlyMap<string, PageFacts>;
  /** Paths of the pages that were not read because they are outside of `under`. */
  readonly pathsOutside: readonly string[];
  readonly deviations: readonly OpenDeviation[];
  /** Ids of pages to which unread pages link; looked up only for pages that have no link with a page that was read. */
  readonly reachedFromOutside: ReadonlySet<string>;
  /** How many pages exist, whether or not they were read. */
  readonly there: number;
  readonly complete: boolean;
}

/** Pages with fewer words are not compared, since they are similar to many others. */
const minWords = 30;
/** Maximum number of pages read; the report says if there are more. */
const maxPages = 20_000;
const maxQuoteLength = 160;

export async function survey(reader: PageReader, under: string | undefined): Promise<Survey> {
  const { paths, there } = await reader.paths(under, maxPages);
  const pages: PageFacts[] = [];
  for (const path of paths) {
    const reading = await reader.read(path);
    if (reading !== null) pages.push(factsOf(reading));
  }
  const surveyedPaths = new Set(paths);
  const allPaths = under === undefined ? paths : (await reader.paths(undefined, maxPages)).paths;
  return {
    pages,
    byId: new Map(pages.map((page) => [page.id, page])),
    pathsOutside: allPaths.filter((path) => !surveyedPaths.has(path)),
    deviations: await reader.deviations(),
    reachedFromOutside:
      under === undefined
        ? new Set()
        : await findReachedFromOutside(reader, pages.filter(isIsolatedAmong(pages))),
    there,
    complete: paths.length === there,
  };
}

/** Returns a test for isolated pages: no other one of these pages links to them, and they link to no other page. */
export function isIsolatedAmong(pages: readonly PageFacts[]): (page: PageFacts) => boolean {
  const reached = new Set<string>();
  for (const page of pages)
    for (const { to } of page.links) if (to !== null && to !== page.id) reached.add(to);
  return ({ id, links }) => !reached.has(id) && links.every(({ to }) => to === null || to === id);
}

async function findReachedFromOutside(
  reader: PageReader,
  pages: readonly PageFacts[],
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  for (const { id } of pages)
    if ((await reader.linksTo(id)).some(({ from_page }) => from_page !== id)) reached.add(id);
  return reached;
}

export function factsOf({ page, links }: PageReading): PageFacts {
  const { id, path, revision, origin, front, properties, tags, aliases, blocks } = page;
  const texts = new Map(blocks.map((block) => [block.id, block.text]));
  const words = splitWords(pageTextOf(page));
  const firstBlock = blocks.find(({ kind, text }) => kind !== 'blank' && text.trim() !== '');
  return {
    id,
    path,
    revision,
    imported: origin === 'Imported',
    front,
    properties,
    tags,
    aliases,
    anchors: new Set(blocks.flatMap(({ kind, text }) => anchorsOf(kind, text))),
    links: listWrittenLinks(links, texts),
    words: words.length,
    sketch: words.length < minWords ? null : createSketch(hashRuns(words)),
    opening: firstBlock === undefined ? null : { block: firstBlock.id, quote: quoteLine(firstBlock.text) },
  };
}

export const pageTextOf = ({ blocks }: PageReading['page']): string =>
  blocks.map(({ text }) => text).join('');

/** The first line of a text, unchanged, up to the maximum length of a quote. */
export function quoteLine(text: string): string {
  const line = text.trimStart().split(/\r?\n/, 1)[0] ?? '';
  return [...line].slice(0, maxQuoteLength).join('').trimEnd();
}

/** The line of the front matter that a property is written in. */
export function frontLine(front: string, name: string): string | null {
  const line = front.split(/\r?\n/).find((each) => each.replace(/^["']|["']$/g, '').startsWith(`${name}:`));
  return line === undefined ? null : [...line].slice(0, maxQuoteLength).join('').trimEnd();
}

/** The anchors in a block: marks of blocks (`^id`), HTML anchors, and the title if it is a heading. */
function anchorsOf(kind: string, text: string): readonly string[] {
  const blockMarks = [...text.matchAll(/(?:^|\s)\^([\w-]+)[ \t]*$/gm)].map(([, mark]) => `^${mark}`);
  const htmlAnchors = [...text.matchAll(/<a\s[^>]*(?:id|name)=["']([^"']+)["']/gi)].map(([, name]) =>
    anchorName(name!),
  );
  if (kind !== 'heading') return [...blockMarks, ...htmlAnchors];
  const title = text
    .trim()
    .split(/\r?\n/, 1)[0]!
    .replace(/^#+\s*/, '')
    .replace(/\s#+$/, '');
  return [...blockMarks, ...htmlAnchors, anchorName(title)];
}

/** The form of an anchor that is the same for a wiki link (`#A heading`) and a Markdown link (`#a-heading`). */
export const anchorName = (text: string): string =>
  text.startsWith('^')
    ? text
    : plainName(
        text.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
      );

/** Programs write anchors of headings in several ways; a link is broken only if none of these fits. */
export function hasAnchor({ anchors }: Pick<PageFacts, 'anchors'>, anchor: string): boolean {
  const lastHeading = anchor.slice(anchor.lastIndexOf('#') + 1).trim();
  if (lastHeading === '') return true;
  const decoded = decodeSafely(lastHeading);
  // Some programs number headings of the same name (`-1`); Dendron adds a comma and the number of lines to skip.
  const withoutSuffix = decoded.replace(/,\d+.*$/, '').replace(/:.*$/, '');
  const possibleNames = [decoded, withoutSuffix, withoutSuffix.replace(/-\d+$/, '')].map(anchorName);
  return possibleNames.some((name) => anchors.has(name) || name === '');
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const fileExtension =
  /\.(?:png|jpe?g|gif|svg|webp|bmp|ico|pdf|mp3|mp4|m4a|mov|wav|ogg|webm|zip|gz|csv|json|ya?ml|txt|html?|canvas|base|excalidraw|docx?|xlsx?|pptx?)$/i;

/** The links in the order of the page. Several links of one block to the same target are numbered. */
function listWrittenLinks(
  links: readonly PageLink[],
  texts: ReadonlyMap<string, string>,
): readonly WrittenLink[] {
  const countsByTarget = new Map<string, number>();
  return links.map((link) => {
    const key = `${link.from} ${link.target}`;
    const nth = countsByTarget.get(key) ?? 0;
    countsByTarget.set(key, nth + 1);
    const hash = link.target.indexOf('#');
    const place = hash < 0 ? link.target : link.target.slice(0, hash);
    const labels = link.kind === 'markdown' ? [] : labelsBehind(texts.get(link.from) ?? '', link.target);
    return {
      ...link,
      place,
      anchor: hash < 0 ? '' : link.target.slice(hash + 1),
      label: labels[nth] ?? null,
      file: fileExtension.test(place) || /[?=]/.test(place),
    };
  });
}

/** For each wiki link to the target, in order: the text after its bar. */
function labelsBehind(text: string, target: string): readonly (string | null)[] {
  const labels: (string | null)[] = [];
  for (let at = text.indexOf(target); at >= 0; at = text.indexOf(target, at + target.length)) {
    if (!text.slice(0, at).trimEnd().endsWith('[[')) continue;
    const [whole, label] =
      /^(?:\.md)?\s*(?:\\?\|([^[\]\n]+))?\]\]/.exec(text.slice(at + target.length)) ?? [];
    if (whole !== undefined) labels.push(label?.trim() ?? null);
  }
  return labels;
}
