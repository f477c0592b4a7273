/** Brings the index of a folder up to date and searches it. */
import type { SpanHit } from '../../core/index.ts';
import type { IndexProgress, IndexReport } from '../../search/index.ts';
import { checkScope, openIndex, openTree } from '../compose.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import { addTexts, type TextHit } from './hit-text.ts';

export interface TreeSearchRequest {
  readonly query: string;
  /** The folder that is searched. */
  readonly root: string;
  readonly scope?: string | undefined;
  readonly wide?: boolean | undefined;
  readonly k?: number | undefined;
  /** True: a hit covers the best passage that was read in its file, instead of the indexed window. */
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
export async function searchTree({
  query,
  root,
  scope,
  wide,
  k,
  passages = false,
  signal,
  onIndex,
}: TreeSearchRequest): Promise<TreeHits> {
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
    const maskedGrep = maskGrep(grep, text, openMasker(configuration));
    const searcher = report.current || report.files > 0 ? index : searchByGrep(maskedGrep);
    const { hits, notes } = await searcher.search({
      query,
      lines: passageLines,
      ...(scope !== undefined && { scope }),
      ...(wide !== undefined && { wide }),
      ...(k !== undefined && { k }),
      ...(signal !== undefined && { signal }),
    });
    return {
      hits: await addTexts(passages ? hits.map(toBestPassage) : hits, query, text),
      notes: [...new Set([...configuration.notes, ...report.notes, ...notes])],
    };
  } finally {
    index.close();
  }
}

/** Replaces the span of a hit by its best passage. Passages end at definitions, windows after a number of lines. */
const toBestPassage = (hit: SpanHit): SpanHit => ({ ...hit, ...hit.spans?.[0] });

export async function indexTree(request: Pick<TreeSearchRequest, 'root' | 'signal' | 'onIndex'>): Promise<{
  readonly report: IndexReport;
  readonly notes: readonly string[];
}> {
  const folder = resolveRoot(request.root);
  const configuration = loadConfiguration({ environment: processEnvironment(), project: folder });
  const treeIndex = await openIndex(configuration, folder);
  try {
    const report = await treeIndex.refresh({
      ...(request.signal !== undefined && { signal: request.signal }),
      ...(request.onIndex !== undefined && { onProgress: request.onIndex }),
    });
    return { report, notes: configuration.notes };
  } finally {
    treeIndex.close();
  }
}
