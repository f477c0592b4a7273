import type { OwnTool, PathReply } from '../../catalogue/index.ts';
import type {
  Capability,
  Coverage,
  NameFinder,
  SpanSearch,
  SymbolReader,
  TextReader,
} from '../../core/index.ts';

/** An item of memory, as code in the sandbox sees it. */
export interface RememberedText {
  readonly key: string;
  readonly text: string;
}

/** Memory as the caller sees it. */
export interface MemoryPort {
  readonly tiers: readonly string[];
  get(tier: string, key: string): RememberedText | null | Promise<RememberedText | null>;
  /** Newest first. */
  list(tier: string, limit: number): readonly RememberedText[] | Promise<readonly RememberedText[]>;
}

/**
 * The material of an investigation: files of a tree or pages of a workspace, by path. Every port gets the run's
 * scope, and its results are checked against it.
 */
export interface Material {
  /** Shown to the planner, and used to decide which capabilities a helper needs. */
  readonly kind: 'tree' | 'workspace';
  readonly search: SpanSearch;
  readonly text: TextReader;
  /** The paths of all texts in the scope; absent if nothing can list them. */
  paths?(request: { readonly scope?: string; readonly signal?: AbortSignal }): Promise<PathReply>;
  /** The id of the content at a path, for provenance; null if there is none. */
  contentId?(path: string): string | null | Promise<string | null>;
  readonly memory?: MemoryPort;
  /** For code: syntax facts about names, called by `call_tool`. */
  readonly symbols?: SymbolReader;
  /** Tools of the program, called by `call_tool`. */
  readonly tools?: readonly OwnTool[];
  /** Finds out, when the run begins, whether the names in the question occur at all. */
  readonly names?: NameFinder;
  /** What the index covers and what it skipped; reported in the result. */
  readonly coverage?: Pick<Coverage, 'files' | 'skipped' | 'completeness' | 'notes'>;
}

/** The capability that a helper needs; null for none. */
export function capabilityOf(helper: string, kind: Material['kind']): Capability | null {
  switch (helper) {
    case 'kb_search':
      return kind === 'tree' ? 'CodeRead' : 'SearchUse';
    case 'kb_list':
    case 'kb_find':
    case 'kb_read':
    case 'cite':
      return kind === 'tree' ? 'CodeRead' : 'PagesRead';
    case 'memory_get':
      return 'MemoryRead';
    case 'propose_write':
      return 'PagesWrite';
    default:
      return null;
  }
}
