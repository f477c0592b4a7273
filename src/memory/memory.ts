/**
 * The contract of memory: what agents keep for later, in four tiers. Only a tool call or its owner writes it:
 * nothing is summarised, promoted or forgotten by itself. An implementer must not: show an item outside its
 * place, keep an item in two tiers, drop an item to make room, run anything when an item is written or read,
 * or leave a scrubbed text anywhere in its files.
 */

/** From the narrowest to the widest. */
export const tiers = ['conversation', 'channel', 'workspace', 'account'] as const;
export type Tier = (typeof tiers)[number];

/**
 * The position of a reader, which decides what it sees: the items of its conversation, of that conversation's channel
 * if it is in one, of the workspace, and of the account.
 */
export interface ReaderPosition {
  /** The conversation; null for a reader outside of any, which is then in no channel either. */
  readonly thread: string | null;
  readonly channel: string | null;
}

export interface MemoryItem {
  /** `mem-` and 20 letters and digits. */
  readonly id: string;
  readonly tier: Tier;
  /** The thread or the channel it belongs to; null in the two widest tiers. */
  readonly within: string | null;
  /** A name, unique within its tier and place. */
  readonly key: string;
  readonly text: string;
  /** UTF-8, key and text together. */
  readonly bytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  readonly updated: number;
  /** The last writer: `agent planner`, `user ada`. */
  readonly writer: string;
  /** The sources of the material that its writer had read, which the text may repeat. Empty: none. */
  readonly origins: readonly string[];
  /** Whether it waits for the owner's decision; nobody else sees it until then. */
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
   * The sources of foreign material that the writer has seen; empty if it has seen none. If there are any, what it
   * writes into the account waits for the owner's decision, and it can't forget items there or replace the owner's.
   */
  readonly origins?: readonly string[];
}

export interface StoredItem {
  readonly kind: 'stored';
  readonly id: string;
  /** unchanged: the same text was there already. held: it waits for the owner, and the old text stays. */
  readonly change: 'created' | 'updated' | 'unchanged' | 'held';
  /** True if the idempotency key had been seen: this is the first result, and nothing was done again. */
  readonly repeated: boolean;
}

export interface Forgotten {
  readonly kind: 'forgotten';
  /** Null if there was nothing of that key. */
  readonly id: string | null;
  readonly repeated: boolean;
}

/** Why a write was refused. A refused write leaves nothing behind. */
export const memoryRefusals = {
  no_place: 'The tier does not exist from where the caller stands.',
  bad_key: 'The key cannot name an item.',
  bad_text: 'The text is empty, or cannot be kept.',
  too_large: 'The item is larger than one may be.',
  full: 'The tier holds as many items, or as many bytes, as it may.',
  key_reused: 'The idempotency key was used for another write.',
  owner_only: 'The writer has seen material, and the item is its owner’s to change or forget.',
} as const;
export type MemoryRefusalCode = keyof typeof memoryRefusals;

export interface MemoryRefused {
  readonly kind: 'refused';
  readonly code: MemoryRefusalCode;
  /** One line, naming the thing and the numbers. */
  readonly message: string;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface MemoryHit {
  readonly item: MemoryItem;
  /** Comparable within one reply only. */
  readonly score: number;
}

/** The memory as seen from one place. A tier that does not exist there is empty. */
export interface MemoryView {
  /** The tiers that exist here, narrowest first. */
  readonly tiers: readonly Tier[];
  put(item: MemoryPut, by: MemoryWriter): StoredItem | MemoryRefused;
  get(tier: Tier, key: string): MemoryItem | null;
  /** Items that hold words of the query, in key or text, best first. */
  search(tier: Tier, query: string, limit: number): readonly MemoryHit[];
  /** Newest first. */
  list(tier: Tier, limit: number): readonly MemoryItem[];
  forget(tier: Tier, key: string, by: MemoryWriter): Forgotten | MemoryRefused;
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
   * Whether the bytes are gone from the files as well. False if another process was reading: they go when it
   * is closed and the scrub is repeated.
   */
  readonly erased: boolean;
}

/** Uses databases that the caller opens and closes. Everything is synchronous. */
export interface Memory {
  readonly limits: Readonly<Record<Tier, TierLimits>>;
  from(place: ReaderPosition): MemoryView;
  /** For the owner: everything that is kept here and in the account, of every place, newest first. */
  everything(filter?: MemoryFilter): readonly MemoryItem[];
  /** For the owner: accepts an item that waits for the account, together with its origins, or drops it. */
  decide(key: string, take: boolean): StoredItem | Forgotten | MemoryRefused;
  /** For the owner: deletes the items that the filter selects, and rewrites the files without them. */
  scrub(filter?: MemoryFilter): ScrubResult;
}

export interface TierLimits {
  /** Maximum number of items of one thread, one channel, the workspace or the account. */
  readonly items: number;
  readonly bytes: number;
  /** Bytes of one item, key and text, UTF-8. */
  readonly item_bytes: number;
}
