/**
 * The ports through which a run reads its material. The rooms for files, indexes and git implement them; a run gets
 * them as arguments and has no other source of text.
 */

import type { Provenance } from './evidence.ts';
import type { LineSpan } from './text/span.ts';

/** Whether a listing is complete. `unknown` if the source cannot tell. */
export type Completeness = 'complete' | 'partial' | 'unknown';

export interface FileText {
  readonly kind: 'text';
  /** Without line terminators; CRLF is read as LF. `lines[0]` is line 1. */
  readonly lines: readonly string[];
  /** Whether the text ends in a line terminator. Editors then number one more line, which is empty. */
  readonly finalNewline?: boolean;
  /** Present if secrets in the lines are masked. A mark is on the line of its secret. */
  readonly masked?: {
    /** The numbers of the lines that hold a mark, from 1. */
    readonly numbers: ReadonlySet<number>;
    /** SHA-256 of the true lines, joined by `\n`. */
    hash(start: number, end: number): string;
  };
  /**
   * The bytes of each line, one character per byte, if the file is not UTF-8. Hashes are over these bytes: a citation
   * is of the file, however it is displayed.
   */
  readonly raw?: readonly string[];
  /** The id and revision of the content, if other content may replace it at this path. */
  readonly content?: ContentVersion;
}

/** Identifies content at one point of its history. */
export interface ContentVersion {
  readonly id: string;
  readonly revision: number;
}

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly reason: 'missing' | 'outside_root' | 'not_text' | 'too_large' | 'out_of_scope';
  /** One line naming the path. */
  readonly message: string;
}

export interface TextReader {
  /**
   * The text of a file below the root, as it is now or at a commit. The path `commit:SHA` is a commit's message with
   * the list of changed files, and `diff:SHA:FILE` the change of one file. A link that leads out of the root is never
   * followed.
   */
  readText(path: string, commit?: string | null): Promise<FileText | Unreadable>;
}

export interface SpanHit {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly provenance: Provenance;
  /** The passages of the file that best match the query, best first; they may lie far apart. */
  readonly spans?: readonly LineSpan[];
}

export interface SpanReply {
  readonly hits: readonly SpanHit[];
  readonly completeness: Completeness;
  readonly notes: readonly string[];
  /**
   * Words of the query that occur nowhere (`asked`), in lower case, and the words that were searched for instead (`read`):
   * other forms of the word, the word without a typing error, or words that begin with it, separated by spaces. The
   * notes name them too.
   */
  readonly respelled?: readonly {
    readonly asked: string;
    readonly read: string;
    readonly by: 'form' | 'error' | 'beginning';
  }[];
}

export interface SpanSearch {
  search(request: {
    readonly query: string;
    readonly k?: number;
    readonly wide?: boolean;
    readonly scope?: string;
    /** Sets `spans` of each hit: at most this many lines of a file in all. */
    readonly lines?: number;
    readonly signal?: AbortSignal;
  }): Promise<SpanReply>;
}

export interface LineMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface GrepReply {
  readonly matches: readonly LineMatch[];
  /** `partial` if the limit cut the list; the notes contain the full number. */
  readonly completeness: Completeness;
  readonly notes: readonly string[];
}

export interface TextGrep {
  /** Throws `bad_pattern` if the regular expression or the glob cannot be parsed. */
  grep(request: {
    readonly pattern: string;
    readonly ignoreCase?: boolean;
    readonly fixed?: boolean;
    readonly scope?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<GrepReply>;
}

export interface CommitNote {
  readonly commit: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly author: string;
  readonly subject: string;
  readonly paths: readonly string[];
}

export interface BlameLine {
  readonly line: number;
  readonly commit: string;
  readonly date: string;
  readonly author: string;
  readonly text: string;
}

export interface HistoryReply<Item> {
  readonly items: readonly Item[];
  readonly completeness: Completeness;
  readonly notes: readonly string[];
}

/** The git history of the material. Without a repository every method answers `unknown` with a note. */
export interface GitHistory {
  /** Whether there is a readable history; assumed true if the port has no such method. */
  readable?(): Promise<boolean>;
  /** The reason, for people, why an existing history can't be read; null if it can be read, or if there is none. */
  unreadableReason?(): Promise<string | null>;
  log(request: {
    readonly path?: string;
    readonly scope?: string;
    /** Only commits whose message contains this, case ignored. */
    readonly message?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<HistoryReply<CommitNote>>;
  blame(request: {
    readonly path: string;
    readonly start: number;
    readonly end: number;
    readonly signal?: AbortSignal;
  }): Promise<HistoryReply<BlameLine>>;
  /** Commits that changed how often a text occurs (`git log -S`), or touched lines that match (`-G`). */
  pickaxe(request: {
    readonly text: string;
    readonly regex?: boolean;
    readonly scope?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<HistoryReply<CommitNote>>;
}

/** A definition of a file. Lines are 1-based and inclusive. */
export interface CodeUnit {
  readonly name: string;
  readonly kind: string;
  /** First line, with comments and decorators above it. */
  readonly start: number;
  /** From its first line to the end of its parameters. */
  readonly header: LineSpan;
  readonly end: number;
}

/** The definitions of a file in the order of their headers; nested ones follow the one around them. */
export type UnitFinder = (path: string, lines: readonly string[]) => readonly CodeUnit[];

/** A span of one definition, or of lines outside of all. */
export interface DefinitionHit extends SpanHit {
  /** Absent for lines outside of all definitions. */
  readonly symbol?: string;
  readonly symbolKind?: string;
}

/** Ranks the definitions of the best files by the words of a query. A file may have several hits. */
export interface DefinitionSearch {
  search(request: {
    readonly query: string;
    readonly k?: number;
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<Omit<SpanReply, 'hits'> & { readonly hits: readonly DefinitionHit[] }>;
}

/** Finds where names are defined in the material. */
export interface DefinitionFinder {
  find(request: {
    readonly name: string;
    readonly scope?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<{
    readonly definitions: readonly (SpanHit & { readonly symbol: string; readonly symbolKind: string })[];
    readonly completeness: Completeness;
    readonly notes: readonly string[];
  }>;
}
