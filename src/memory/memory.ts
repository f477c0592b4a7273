/**
 * The contract of memory: notes that agents store for later, in four tiers. Only tool calls and the memory's owner
 * write to it: nothing is summarised, promoted or forgotten automatically. An implementer must not: show an item
 * outside its place, keep an item in two tiers, drop an item to make room, run anything when an item is written or
 * read, or leave a scrubbed text anywhere in its files.
 */

/** From the narrowest to the widest. */
export const tiers = ['conversation', 'channel', 'workspace', 'account'] as const;
export type Tier = (typeof tiers)[number];

/**
 * The position of a reader, which decides what it sees: the items of its conversation, of that conversation's channel
 * if it is in one, of the workspace, and of the account.
 */
export interface ReaderPosition {
  /** The conversation; null for a reader outside of any, which then is in no channel either. */
  readonly thread: string | null;
  readonly channel: string | null;
}

export interface MemoryItem {
  /** `mem-` and 20 letters and digits. */
  readonly id: string;
  readonly tier: Tier;
  /** The conversation or channel that the item belongs to; null in the two widest tiers. */
  readonly within: string | null;
  /** A name, unique within its tier and place. */
  readonly key: string;
  readonly text: string;
  /** UTF-8 bytes of key and text together. */
  readonly bytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  readonly updated: number;
  /** The last writer: `agent planner`, `user ada`. */
  readonly writer: string;
  /** Foreign sources that its writer had read before; the text may repeat their content. Empty: none. */
  readonly origins: readonly string[];
  /** Whether it waits for the owner's decision. Until then nobody else sees it. */
  readonly held: boolean;
}

export interface MemoryPut {
  readonly tier: Tier;
  readonly key: string;
  readonly text: string;
}

/** The writer, and its idempotency key: the same key again writes nothing and returns the first result. */
export interface MemoryWriter {
  readonly writer: string;
  readonly idempotencyKey: string | null;
  /**
   * Foreign sources that the writer has read; empty if it has read none. If there are any, its writes to the account
   * wait for the owner's decision, and it can't forget items there or replace the owner's.
   */
  readonly origins?: readonly string[];
}

export interface StoredItem {
  readonly kind: 'stored';
  readonly id: string;
  /** unchanged: the same text was there already. held: it waits for the owner, and the old text stays. */
  readonly change: 'created' | 'updated' | 'unchanged' | 'held';
  /** True if the idempotency key had been used: this is the first result, and nothing was done again. */
  readonly repeated: boolean;
}

export interface Forgotten {
  readonly kind: 'forgotten';
  /** Null if there was no item with that key. */
  readonly id: string | null;
  readonly repeated: boolean;
}

/** Why a write was refused. A refused write leaves nothing behind. */
export const memoryRefusals = {
  no_place: 'The tier does not exist for the caller.',
  bad_key: 'The key cannot name an item.',
  bad_text: 'The text is empty, or cannot be kept.',
  too_large: 'The item is larger than one may be.',
  full: 'The tier holds its maximum of items or bytes.',
  key_reused: 'The idempotency key was used for another write.',
  owner_only: 'The writer has read foreign material, so only the owner may change or forget this item.',
} as const;
export type MemoryRefusalCode = keyof typeof memoryRefusals;

export interface MemoryRefused {
  readonly kind: 'refused';
  readonly code: MemoryRefusalCode;
  /** One line with the key or tier, and the limit that was exceeded. */
  readonly message: string;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface MemoryHit {
  readonly item: MemoryItem;
  /** Comparable within one reply only. */
  readonly score: number;
}

/** The memory as a reader sees it. A tier that does not exist for that reader is empty. */
export interface MemoryView {
  /** The tiers that exist for the reader, narrowest first. */
  readonly tiers: readonly Tier[];
  put(item: MemoryPut, writerInfo: MemoryWriter): StoredItem | MemoryRefused;
  get(tier: Tier, key: string): MemoryItem | null;
  /** Items that hold words of the query, in key or text, best first. */
  search(tier: Tier, query: string, limit: number): readonly MemoryHit[];
  /** Newest first. */
  list(tier: Tier, limit: number): readonly MemoryItem[];
  forget(tier: Tier, key: string, writerInfo: MemoryWriter): Forgotten | MemoryRefused;
}

/** Selects items; each field narrows the selection. */
export interface MemoryFilter {
  readonly tier?: Tier;
  readonly within?: string;
  /** Words that the key or the text of the item contains, case ignored. */
  readonly match?: string;
}

export interface ScrubResult {
  readonly items: number;
  /**
   * Whether the bytes are gone from the files as well. False if another process was reading: repeat the scrub after
   * that process has ended.
   */
  readonly erased: boolean;
}

/** Uses databases that the caller opens and closes. Everything is synchronous. */
export interface Memory {
  readonly limits: Readonly<Record<Tier, TierLimits>>;
  viewFrom(place: ReaderPosition): MemoryView;
  /** For the owner: all items of this workspace, of any thread or channel, and of the account, newest first. */
  listAll(filter?: MemoryFilter): readonly MemoryItem[];
  /** For the owner: accepts an item that waits for the account, together with its origins, or drops it. */
  decide(key: string, accept: boolean): StoredItem | Forgotten | MemoryRefused;
  /** For the owner: deletes the items that the filter selects, and rewrites the files without them. */
  scrub(filter?: MemoryFilter): ScrubResult;
}

export interface TierLimits {
  /** Maximum number of items of one thread, one channel, the workspace or the account. */
  readonly items: number;
  readonly bytes: number;
  /** UTF-8 bytes of the key and text of one item. */
  readonly item_bytes: number;
}
