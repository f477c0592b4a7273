/** Facts from syntax about the names of a code base: their uses, their contents, their dependents. */
import type { Completeness } from './material.ts';

/** How a use is known to mean the definition. `server`: a language server says so. `text`: only the word matches. */
export type ReferenceHow = 'import' | 'scope' | 'type' | 'server' | 'unique name' | 'text';

export interface SymbolRow {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** The line, without white space around it. */
  readonly text: string;
  readonly kind: 'call' | 'import' | 'inherits' | 'type' | 'export' | 'decorator' | 'reference' | 'text';
  readonly how: ReferenceHow;
  /** Known by import, scope or type; or by a server if syntax leaves it open. */
  readonly sure: boolean;
  /** Sources of the use; absent: syntax alone. */
  readonly provenance?: readonly ('syntax' | 'lsp')[];
  /** The enclosing definition, in a form that can be used as the name in a further request; null for none. */
  readonly enclosing: string | null;
}

/** Counts of the files that hold the word. `failed`: not read, or read with errors. */
export interface WordCounts {
  readonly with_word: number;
  readonly parsed: number;
  readonly failed: number;
  readonly over_limit: number;
  readonly stale: number;
}

export interface SymbolSpan {
  /** The name in a form that a request accepts: `path#Class.method`. */
  readonly symbol: string;
  readonly path: string;
  readonly name: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Last line of its head. */
  readonly header: number;
  readonly signature: string;
}

/** Facts about every listing. */
export interface ListingFacts {
  readonly completeness: Completeness;
  /** Why it is incomplete, or a caution about it. */
  readonly why: readonly string[];
}

export interface References extends ListingFacts {
  readonly kind: 'listed';
  readonly symbol: string;
  readonly definition: SymbolSpan;
  readonly files: WordCounts;
  readonly rows: readonly SymbolRow[];
}

/** The reason why there is no listing. */
export type NoSymbol =
  /** Several definitions have the name. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[] }
  /** No definition; `places`: files that contain the word. `cut`: not all files were read in the time limit. */
  | {
      readonly kind: 'undefined';
      readonly places: readonly string[];
      readonly cut: boolean;
    }
  /** The word occurs nowhere. */
  | { readonly kind: 'nowhere' };

export interface OutlineItem {
  readonly name: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly signature: string;
  readonly children: readonly OutlineItem[];
}

export interface Outline extends ListingFacts {
  readonly kind: 'outline';
  readonly path: string;
  readonly lines: number;
  readonly items: readonly OutlineItem[];
}

export interface ImpactRow extends SymbolRow {
  /** 1: uses the requested definition; 2: uses one of its users. */
  readonly hop: number;
  /** The changed definition that the use depends on. */
  readonly of: string;
}

export interface TestOfSymbol {
  readonly path: string;
  readonly name: string;
  /** The command that runs the test, if known. */
  readonly command?: string;
}

export interface Impact extends ListingFacts {
  readonly kind: 'impact';
  readonly changed: readonly (SymbolSpan & { readonly change: string })[];
  readonly files: WordCounts;
  readonly rows: readonly ImpactRow[];
  readonly tests: readonly TestOfSymbol[];
}

export interface TraceStep extends SymbolSpan {
  /** The call that leads to the next step; null for the last. */
  readonly row: SymbolRow | null;
}

export interface SymbolTrace extends ListingFacts {
  readonly kind: 'trace';
  /** Empty if no path was found. */
  readonly steps: readonly TraceStep[];
  /** Whether the time limit ended the search before everything was searched. */
  readonly cut: boolean;
}

export interface Hover extends ListingFacts {
  readonly kind: 'hover';
  readonly found: readonly (SymbolSpan & {
    readonly doc: string;
    readonly docStart: number | null;
    /** The type, as a language server writes it. */
    readonly type?: string;
  })[];
}

export type Edge = 'calls' | 'called-by' | 'imports' | 'inherits';

export interface Expansion extends ListingFacts {
  readonly kind: 'expansion';
  readonly definition: SymbolSpan;
  readonly files: WordCounts;
  readonly rows: readonly (SymbolRow & {
    /** A request along `inherits` finds the definitions that inherit as well as the inherited ones; mixins are included. */
    readonly along: Edge | 'inherited-by' | 'includes' | 'included-by';
    /** The other end. */
    readonly to: string;
  })[];
}

interface SymbolRequest {
  readonly symbol: string;
  readonly scope?: string;
  readonly signal?: AbortSignal;
}

/**
 * Finds definitions by name: `name`, `Class.method`, `path#name`. Only the syntax facts of texts are cached, under the
 * hash of the text.
 */
export interface SymbolReader {
  references(request: SymbolRequest & { readonly calls?: boolean }): Promise<References | NoSymbol>;
  outline(request: {
    readonly path: string;
    readonly signal?: AbortSignal;
  }): Promise<Outline | { readonly kind: 'unreadable'; readonly message: string }>;
  impact(request: SymbolRequest): Promise<Impact | NoSymbol>;
  /**
   * The impact of what the working tree, or a commit, changes against a revision. Throws `bad_argument` if the
   * revision does not exist.
   */
  impactOfChange(request: {
    readonly revision: string;
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<Impact>;
  trace(request: {
    readonly from: string;
    readonly to: string;
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<
    | SymbolTrace
    | (NoSymbol & { /** The end that has no single definition: `from` or `to`. */ readonly of?: string })
  >;
  hover(request: SymbolRequest): Promise<Hover | NoSymbol>;
  expand(request: SymbolRequest & { readonly along: readonly Edge[] }): Promise<Expansion | NoSymbol>;
  /** The paths of all files that a search would cover. */
  paths(request: {
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<ListingFacts & { readonly paths: readonly string[] }>;
}
