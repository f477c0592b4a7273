/**
 * The contract of a world: a workspace of pages and blocks that anybody may read, and that only a `WorldWrite`
 * (`world-write.ts`) can change. A database file contains one workspace.
 *
 * An implementer must not: change content except by `submit`, let an agent create or change Canonical content, choose
 * between two versions of content, leave a row of a refused write, or store what can be computed from other rows
 * (weight, standing).
 */
import type { WorldCheck } from './check/check-world.ts';
import type { Conflict } from './merge/index.ts';
import type { RefusedWrite, SubmitResult, WorldWrite } from './world-write.ts';

/** The origin of content. The first write sets it, and edits never change it. */
export type Origin = 'Authored' | 'Imported' | 'AgentProduced' | 'Observed';
/** The state of content. Only an act of the author makes Candidate and Draft content Canonical. */
export type Lifecycle = 'Draft' | 'Candidate' | 'Canonical';

/** `pg-` or `bl-`, and 20 letters and digits. The id of a page stays when its path changes. */
export type ContentId = string;

/** The origin and state of every piece of content. */
export interface Provenance {
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
  /** The tool, the import run with its file, or the device that created it. */
  readonly origin_source_id: string;
  /**
   * 1, 2, 3 …: grows with each applied change. That of a page also grows with changes of its blocks, except for
   * candidate blocks in a page that is no candidate.
   */
  readonly revision: number;
  /** Milliseconds since the Unix epoch, like all times here. */
  readonly created: number;
  readonly updated: number;
}

export interface Page extends Provenance {
  readonly id: ContentId;
  /**
   * Such as `Projects/Sonde/Plan`. Unique among the pages that are not deleted. A page is below another if its path
   * begins with the path of that page and a slash.
   */
  readonly path: string;
  /** The property `title`, or else the last part of the path. */
  readonly title: string;
  readonly deleted: boolean;
}

export interface Block extends Provenance {
  readonly id: ContentId;
  /** A short name in this workspace, such as `#57123`; never reused. */
  readonly handle: string;
  readonly page: ContentId;
  /**
   * Markdown as it was written, with white space and line ends. The text of a page is its front matter followed by its
   * blocks.
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

/** canonical: content that is no candidate. all: candidates, too, marked by their lifecycle. */
export type View = 'canonical' | 'all';

export interface PageText extends Page {
  /** Front matter as written, with its fences; empty if there is none. */
  readonly front: string;
  readonly blocks: readonly Block[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** The number of open flags and of open deviations of this page. */
  readonly flags: number;
  readonly deviations: number;
}

export interface Link {
  readonly from: ContentId;
  readonly from_page: ContentId;
  /** The page that the link leads to; null if there is no page with that name. */
  readonly to: ContentId | null;
  /** The target as written: `Plan#Scope`. */
  readonly target: string;
  readonly kind: 'wiki' | 'markdown' | 'embed';
}

/** A link between two pages, as their paths. */
export interface Neighbour {
  readonly from: string;
  readonly to: string;
}

export interface PageOutline extends Pick<Page, 'id' | 'path' | 'title' | 'lifecycle'> {
  readonly blocks: readonly Pick<Block, 'id' | 'text' | 'lifecycle'>[];
}

export interface Attachment {
  readonly page: ContentId | null;
  /** Path of the file in the vault. Its bytes are only in the vault. */
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

/** A flag on content whose source has changed: the author should check it again. */
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
   * contradiction: the write was applied as a candidate. overwrite: the write would change content of the author, and
   * is held.
   */
  readonly type: 'contradiction' | 'overwrite';
  readonly status: 'open' | 'resolved' | 'dismissed';
  /** The submitted write: `operation`, `caller`, `origin_source_id`, and its derivation sources. */
  readonly submitted: Readonly<Record<string, unknown>>;
  /** The content that it contradicts, its target first. */
  readonly canonical_refs: readonly ContentId[];
  /** The candidate that the write created; null if the write is held. */
  readonly candidate: ContentId | null;
  readonly note: string;
  readonly created_at: number;
  readonly resolved_at: number | null;
  readonly resolution: string | null;
  /** Texts that agents proposed; the author decides. */
  readonly proposals: readonly { readonly by: string; readonly at: number; readonly text: string }[];
}

/** The fields of content that an event records. From all events, the whole world can be rebuilt. */
export interface ContentFields {
  readonly path?: string;
  /** Front matter as it is written. */
  readonly front?: string;
  readonly text?: string;
  readonly page?: ContentId;
  /** The sort key of a block within its page. */
  readonly place?: number;
  readonly lifecycle?: Lifecycle;
  readonly origin?: Origin;
  readonly deleted?: boolean;
  /** Added derivations, as source and type. */
  readonly derived_from?: readonly (readonly [ContentId, string])[];
}

/** One accepted write. Append-only. */
export interface WorldEvent {
  /** 1, 2, 3 … within the workspace. A follower (an index, a schedule) stores the last number that it has processed. */
  readonly seq: number;
  readonly at: number;
  readonly write_id: string;
  readonly op: string;
  readonly content_ids: readonly ContentId[];
  /** The changed fields, before and after, by the id of their content. Null if there are none. */
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
  /** The importance of the content, from 0 to 1, by which the inbox is sorted. See `read/standing.ts`. */
  readonly standing: number;
  /** Grows with each change of the content to decide on. A decision may name it. */
  readonly revision: number;
  readonly at: number;
  /** The texts before and after the change. `before` is null if the content is new. */
  readonly before: string | null;
  readonly after: string | null;
  /** Conflicts of a held edit with later changes; such an edit can't be accepted. */
  readonly conflicts: readonly Conflict[];
  readonly note: string;
}

export interface Listing {
  /** A path: only this page and the pages below it. */
  readonly under?: string;
  readonly tag?: string;
  readonly view?: View;
  readonly limit?: number;
  /** Only paths after this one, to continue a listing. */
  readonly after?: string;
  /** Lists only deleted pages. */
  readonly deleted?: boolean;
}

/**
 * Reads pages. It is opened on a database, and closed by its opener. The default view is `canonical`. A link leads to
 * the page that its text names at present. A link to a page that was renamed is bound to that page, and is read with
 * the new path. Reading is synchronous, and includes every submitted write.
 */
export interface WorldReader {
  readonly workspace: { readonly id: string; readonly name: string };

  /** Finds a page by id, path, name or alias, in this order; null if there is none. */
  page(name: string): Page | null;
  read(page: ContentId, view?: View): PageText | null;
  /** Finds a block by id or handle. */
  block(name: ContentId): Block | null;
  pages(listing?: Listing): readonly Page[];
  tags(under?: string, view?: View): readonly { readonly tag: string; readonly pages: number }[];
  links(page: ContentId): readonly Link[];
  backlinks(page: ContentId): readonly Link[];
  /**
   * The pages that the pages at these paths link to, each pair once. For ranking: links are resolved by name only,
   * which is fast. Pages with more than 100 links are left out.
   */
  neighbours(paths: readonly string[]): readonly Neighbour[];
  /**
   * The fields that a search shows of the page at exactly this path, with its candidates; null if there is none. Fast.
   */
  outline(path: string): PageOutline | null;
  attachments(page?: ContentId): readonly Attachment[];
  /** The events of a page with its blocks, or of one block, newest first. */
  history(content: ContentId, limit?: number): readonly WorldEvent[];
  /**
   * The text of a page right after an event, without blocks that were candidates then. Null if there is no such page.
   */
  textAt(page: ContentId, seq: number): string | null;
  /** The number of the last event; 0 if there is none. Fast, since it is called before every search. */
  head(): number;
  /** The events after a number, oldest first. */
  events(after: number, limit?: number): readonly WorldEvent[];

  close(): void;
}

/** Reads and changes pages. */
export interface World extends WorldReader {
  /** Submits a write. It is refused, held or applied as a whole. */
  submit(write: WorldWrite): SubmitResult;
  /** Submits all writes in one transaction: the first refusal undoes all of them. */
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
  /** Candidates, open deviations and open flags, by descending standing. */
  inbox(limit?: number): readonly InboxItem[];
  /**
   * Records that items and pages were shown in full to a person, so that the person can decide on them. Pages must have
   * been read with their candidates. Content that has changed since it was read is not recorded.
   */
  shown(person: string, what: readonly (InboxItem | PageText)[]): void;

  /**
   * Compares every page with the log, and checks the database file. Slow, since it reads everything. Writes nothing.
   */
  check(): WorldCheck;
}
