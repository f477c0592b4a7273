/**
 * The contract of a world: a workspace of pages and blocks that anybody may read and only a `WorldWrite`
 * (`world-write.ts`) may change. One database file holds one workspace.
 *
 * An implementer must not: change content in any other way than by `submit`, let an agent make or change what
 * is Canonical, choose a winner between two contents, leave a row of a refused write, or store what can be computed
 * from other rows (weight, standing, zones).
 */
import type { WorldCheck } from './check/check-world.ts';
import type { Conflict } from './merge/index.ts';
import type { RefusedWrite, SubmitResult, WorldWrite } from './world-write.ts';

/** The origin of content. It is set by the first write, and never changed by an edit. */
export type Origin = 'Authored' | 'Imported' | 'AgentProduced' | 'Observed';
/** The state of content. Candidate and Draft become Canonical only by an act of the author. */
export type Lifecycle = 'Draft' | 'Candidate' | 'Canonical';

/** `pg-` or `bl-`, and 20 letters and digits. An id never changes, even if the path does. */
export type ContentId = string;

/** The origin and state of every piece of content. */
export interface Provenance {
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
  /** The tool, the import run and file, or the device that it came through. */
  readonly origin_source_id: string;
  /**
   * 1, 2, 3 …; it grows with each change that was applied. The revision of a page also grows with changes of its
   * blocks, but not with a candidate block in a page of the author.
   */
  readonly revision: number;
  /** Milliseconds since the Unix epoch, as every time here. */
  readonly created: number;
  readonly updated: number;
}

export interface Page extends Provenance {
  readonly id: ContentId;
  /** For people: `Projects/Sonde/Plan`. Unique among the pages that are there; its beginning is the tree. */
  readonly path: string;
  /** The last part of the path, unless a property says otherwise. */
  readonly title: string;
  readonly deleted: boolean;
}

export interface Block extends Provenance {
  readonly id: ContentId;
  /** Its short name in this workspace, such as `#57123`; it is never reused. */
  readonly handle: string;
  readonly page: ContentId;
  /**
   * Markdown as it was written, with its white space and line ends. The text of a page is its front matter and its
   * blocks, one after the other.
   */
  readonly text: string;
  readonly kind: BlockKind;
  readonly deleted: boolean;
}

export type BlockKind =
  | 'heading'
  | 'paragraph'
  | 'list'
  | 'code'
  | 'table'
  | 'quote'
  | 'callout'
  | 'html'
  | 'rule'
  | 'blank';

/**
 * canonical: the content that the author reads, including Draft of an import. all: also candidates, marked by their
 * lifecycle.
 */
export type View = 'canonical' | 'all';

export interface PageText extends Page {
  /** Front matter as written, fences included; empty if there is none. Together with the blocks it is the page. */
  readonly front: string;
  readonly blocks: readonly Block[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** The number of open flags and of open deviations about this page, for its readers. */
  readonly flags: number;
  readonly deviations: number;
}

export interface Link {
  readonly from: ContentId;
  readonly from_page: ContentId;
  /** The page it resolves to; null if there is no page of that name. */
  readonly to: ContentId | null;
  /** The target as written: `Plan#Scope`. */
  readonly target: string;
  readonly kind: 'wiki' | 'markdown' | 'embed';
}

/** Paths of pages. */
export interface Neighbour {
  readonly from: string;
  readonly to: string;
}

export interface PageOutline extends Pick<Page, 'id' | 'path' | 'title' | 'lifecycle'> {
  readonly blocks: readonly Pick<Block, 'id' | 'text' | 'lifecycle'>[];
}

export interface Attachment {
  readonly page: ContentId | null;
  /** Path of the file in the vault that it was imported from; its bytes are kept by reference, not in here. */
  readonly path: string;
  readonly bytes: number;
  readonly hash: string;
}

export interface DerivationLink {
  readonly derived_id: ContentId;
  readonly source_id: ContentId;
  readonly link_type: string;
  readonly created_at: number;
  readonly created_by: string;
}

/** A flag on content that derives directly from changed content. It asks for another look, and changes nothing. */
export interface RevalidationFlag {
  readonly id: string;
  readonly content_id: ContentId;
  readonly source_id: ContentId;
  readonly raised_at: number;
  readonly cleared_at: number | null;
}

export interface Deviation {
  readonly id: string;
  /**
   * contradiction: the write was applied as a candidate. overwrite: the write would change canonical content, and is
   * held.
   */
  readonly type: 'contradiction' | 'overwrite';
  readonly status: 'open' | 'resolved' | 'dismissed';
  /** The write as submitted: `operation`, `caller`, `origin_source_id`, and its derivation sources. */
  readonly submitted: Readonly<Record<string, unknown>>;
  /** The content it contradicts, first its target. */
  readonly canonical_refs: readonly ContentId[];
  /** The candidate made from it; null if the write is held. */
  readonly candidate: ContentId | null;
  readonly note: string;
  readonly created_at: number;
  readonly resolved_at: number | null;
  readonly resolution: string | null;
  /** Texts that agents proposed; the author decides. */
  readonly proposals: readonly { readonly by: string; readonly at: number; readonly text: string }[];
}

/** The parts of content that an event records; all events together make up the whole world. */
export interface ContentFields {
  readonly path?: string;
  /** Front matter as it is written. */
  readonly front?: string;
  readonly text?: string;
  readonly page?: ContentId;
  /** The position of a block: the blocks of a page are ordered by it. */
  readonly place?: number;
  readonly lifecycle?: Lifecycle;
  readonly origin?: Origin;
  readonly deleted?: boolean;
  /** A derivation that was made, as source and type. */
  readonly derived_from?: readonly (readonly [ContentId, string])[];
}

/** One accepted write. Append-only. */
export interface WorldEvent {
  /**
   * 1, 2, 3 … within the workspace. A program that follows the writes (an index, a schedule) keeps the last number that
   * it saw.
   */
  readonly seq: number;
  readonly at: number;
  readonly write_id: string;
  readonly op: string;
  readonly content_ids: readonly ContentId[];
  /** The fields that changed, before and after, by the id of their content. Null if there was nothing. */
  readonly before: Readonly<Record<ContentId, ContentFields>> | null;
  readonly after: Readonly<Record<ContentId, ContentFields>> | null;
  readonly caller: string;
  readonly caller_kind: string;
  /** The conversation in which the write was made. */
  readonly thread: string | null;
  readonly device: string;
  readonly origin_source_id: string;
}

export interface InboxItem {
  readonly kind: 'candidate' | 'deviation' | 'flag';
  readonly id: string;
  readonly content_id: ContentId;
  readonly path: string;
  /** Computed, 0 to 1; the inbox is ordered by it. See `read/standing.ts`. */
  readonly standing: number;
  /** Grows with each change of the content that would be decided on. A decision may name it. */
  readonly revision: number;
  readonly at: number;
  /** The change as text: `before` is null if the content is new. */
  readonly before: string | null;
  readonly after: string | null;
  /** Conflicts of a held edit with later changes. If there are any, the edit cannot be accepted. */
  readonly conflicts: readonly Conflict[];
  readonly note: string;
}

export interface Listing {
  /** A page path: lists only this page and the pages below it. */
  readonly under?: string;
  readonly tag?: string;
  readonly view?: View;
  readonly limit?: number;
  /** The last path of the listing before. This listing goes on after it. */
  readonly after?: string;
  /** Lists only deleted pages. */
  readonly deleted?: boolean;
}

/**
 * The pages, to read. The reader is opened on a database, and closed by whoever opened it. The default of a view is
 * `canonical`. A link leads to the page that its text names at present, as in the vault that it came from. A link to a
 * page that was renamed is bound to that page, and read with its present path. Reading is synchronous, and includes
 * every submitted write.
 */
export interface WorldReader {
  readonly workspace: { readonly id: string; readonly name: string };

  /** Finds a page by id, path or alias, in this order; null if there is none. */
  page(name: string): Page | null;
  read(page: ContentId, view?: View): PageText | null;
  /** Finds a block by id or handle. */
  block(name: ContentId): Block | null;
  pages(listing?: Listing): readonly Page[];
  tags(under?: string, view?: View): readonly { readonly tag: string; readonly pages: number }[];
  links(page: ContentId): readonly Link[];
  backlinks(page: ContentId): readonly Link[];
  /**
   * Pages that the pages at these paths lead to, each pair once. Only the names of links are used: this is quick, for
   * ranking. Pages that lead to more than a hundred others are left out.
   */
  neighbours(paths: readonly string[]): readonly Neighbour[];
  /** The page at exactly this path, with its candidates, as a search shows it: quick. Null if there is none. */
  outline(path: string): PageOutline | null;
  attachments(page?: ContentId): readonly Attachment[];
  /** The events of a page with its blocks, or of one block, newest first. */
  history(content: ContentId, limit?: number): readonly WorldEvent[];
  /** The whole text of a page right after an event, without candidates at that time. Null if there is no such page. */
  textAt(page: ContentId, seq: number): string | null;
  /** The number of the last event; 0 if there is none. Quick: called before every search. */
  head(): number;
  /** Every event after a number, oldest first. */
  events(after: number, limit?: number): readonly WorldEvent[];

  close(): void;
}

/** The pages, to read and to change. */
export interface World extends WorldReader {
  /** Submits a write. The write as a whole is refused, held or applied. */
  submit(write: WorldWrite): SubmitResult;
  /** Submits all writes in one transaction, or none: the first refusal undoes the others. */
  submitAll(writes: readonly WorldWrite[]): readonly SubmitResult[] | RefusedWrite;

  /** Content that derives directly from `source`. */
  derivedFrom(source: ContentId): readonly DerivationLink[];
  /** Content that `derived` derives from directly. */
  sourcesOf(derived: ContentId): readonly DerivationLink[];
  flags(filter?: { readonly content?: ContentId; readonly open?: boolean }): readonly RevalidationFlag[];
  deviations(filter?: {
    readonly content?: ContentId;
    readonly status?: Deviation['status'];
    readonly type?: Deviation['type'];
    readonly before?: number;
  }): readonly Deviation[];
  /** Candidates, open deviations and open flags; those with the highest standing come first. */
  inbox(limit?: number): readonly InboxItem[];
  /**
   * Records that these were shown whole to a person, so that the person can decide on them. A page must have been read
   * with its candidates. Content that has changed since it was read is not recorded.
   */
  shown(person: string, what: readonly (InboxItem | PageText)[]): void;

  /** Compares every page with the log, and checks the file itself. Writes nothing. Reads everything, so it is slow. */
  check(): WorldCheck;
}
