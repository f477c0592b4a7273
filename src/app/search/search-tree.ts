/** Brings the index of a folder up to date and searches it. */
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
      hits: await withText(hits, query, text),
      notes: [...new Set([...configuration.notes, ...report.notes, ...notes])],
    };
  } finally {
    index.close();
  }
}

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
