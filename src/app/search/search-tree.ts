/** Brings the index of a folder up to date and searches it. */
import type { SpanHit } from '../../core/index.ts';
import type { IndexProgress, IndexReport } from '../../search/index.ts';
import { checkScope, openIndex, openTree } from '../compose.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import { type TextHit, withText } from './hit-text.ts';

export interface TreeSearch {
  readonly query: string;
  /** A folder. */
  readonly root: string;
  readonly scope?: string | undefined;
  readonly wide?: boolean | undefined;
  readonly k?: number | undefined;
  /** Gives the best passage of each file that was read in place of the window that it was found by. */
  readonly passages?: boolean | undefined;
  readonly signal?: AbortSignal;
  readonly onIndex?: (progress: IndexProgress) => void;
}

/** Maximum lines of all passages of one file together. */
const passageLines = 40;

export interface TreeHits {
  readonly hits: readonly TextHit[];
  readonly notes: readonly string[];
}

/** Indexes what changed, then searches. Throws for a wrong folder, scope or setting. */
export async function search({
  query,
  root,
  scope,
  wide,
  k,
  passages = false,
  signal,
  onIndex,
}: TreeSearch): Promise<TreeHits> {
  const folder = resolveRoot(root);
  const configuration = loadConfiguration({ environment: processEnvironment(), project: folder });
  const { index, text, grep } = await openTree(configuration, folder);
  try {
    const report = await index.refresh({
      ...(signal !== undefined && { signal }),
      ...(onIndex !== undefined && { onProgress: onIndex }),
    });
    await checkScope(index, report, scope);
    const { maskGrep, searchByGrep } = await import('../../code/tree.ts');
    const shownGrep = maskGrep(grep, text, openMasker(configuration));
    const port = report.current || report.files > 0 ? index : searchByGrep(shownGrep);
    const { hits, notes } = await port.search({
      query,
      lines: passageLines,
      ...(scope !== undefined && { scope }),
      ...(wide !== undefined && { wide }),
      ...(k !== undefined && { k }),
      ...(signal !== undefined && { signal }),
    });
    return {
      hits: await withText(passages ? hits.map(bestPassage) : hits, query, text),
      notes: [...new Set([...configuration.notes, ...report.notes, ...notes])],
    };
  } finally {
    index.close();
  }
}

/** A window is cut at a number of lines, a passage by the definitions: it does not end on the first line of one. */
const bestPassage = (hit: SpanHit): SpanHit => ({ ...hit, ...hit.spans?.[0] });

export async function index(request: Pick<TreeSearch, 'root' | 'signal' | 'onIndex'>): Promise<{
  readonly report: IndexReport;
  readonly notes: readonly string[];
}> {
  const folder = resolveRoot(request.root);
  const configuration = loadConfiguration({ environment: processEnvironment(), project: folder });
  const tree = await openIndex(configuration, folder);
  try {
    const report = await tree.refresh({
      ...(request.signal !== undefined && { signal: request.signal }),
      ...(request.onIndex !== undefined && { onProgress: request.onIndex }),
    });
    return { report, notes: configuration.notes };
  } finally {
    tree.close();
  }
}
