/** Reads and writes the rows of memory. A `MemoryRows` is one place in one tier, in one of the two databases. */
import { randomBytes } from 'node:crypto';
import { type Clock, canonicalJson, sha256 } from '../core/index.ts';
import type { Database, Row } from '../store/index.ts';
import { findFlaw, findOverflow, findOwnerRefusal, refuse, sizeOf } from './limits.ts';
import { searchItems } from './match.ts';
import type {
  Forgotten,
  MemoryHit,
  MemoryItem,
  MemoryRefused,
  MemoryWriter,
  StoredItem,
  Tier,
  TierLimits,
} from './memory.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const newId = (): string => `mem-${[...randomBytes(20)].map((byte) => alphabet[byte % 32]).join('')}`;

/** The place of items in the account that wait for the owner. */
export const heldPlace = 'held';

/** Maximum number of origins that are kept for one text: the first ones. */
const maxOrigins = 50;

export function toItem(row: Row): MemoryItem {
  const place = String(row['place']);
  const held = row['tier'] === 'account' && place === heldPlace;
  return Object.freeze({
    id: String(row['id']),
    tier: row['tier'] as Tier,
    within: place === '' || held ? null : place,
    key: String(row['key']),
    text: String(row['text']),
    bytes: Number(row['bytes']),
    created: Number(row['created']),
    updated: Number(row['updated']),
    writer: String(row['writer']),
    origins: JSON.parse(String(row['origins'])) as string[],
    held,
  });
}

interface RowWriter extends MemoryWriter {
  /** Whether the write is the owner's decision on an item that somebody else wrote. */
  readonly ownerDecides?: boolean;
}

export interface MemoryRows {
  put(
    item: { readonly key: string; readonly text: string },
    writerInfo: RowWriter,
  ): StoredItem | MemoryRefused;
  get(key: string): MemoryItem | null;
  search(query: string, limit: number): readonly MemoryHit[];
  list(limit: number): readonly MemoryItem[];
  forget(key: string, writerInfo: MemoryWriter): Forgotten | MemoryRefused;
}

export interface MemoryRowsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly tier: Tier;
  readonly limits: TierLimits;
  /** Empty in the account. */
  readonly workspace: string;
  /** The thread, the channel, or empty. */
  readonly place: string;
}

const atLocation = 'workspace = ? AND tier = ? AND place = ?';

export function memoryRows({ db, clock, tier, limits, workspace, place }: MemoryRowsOptions): MemoryRows {
  const location = [workspace, tier, place] as const;
  const find = (key: string) =>
    db.get(`SELECT * FROM memory_items WHERE ${atLocation} AND key = ?`, ...location, key);

  /**
   * Runs in one transaction. Returns the first result of the idempotency key, or does the work and records its result.
   */
  function runOnce<Result extends StoredItem | Forgotten>(
    { idempotencyKey }: MemoryWriter,
    request: unknown,
    work: () => Result | MemoryRefused,
  ): Result | MemoryRefused {
    return db.atomic(() => {
      if (idempotencyKey === null) return work();
      // Stores only hashes, so that a scrub does not have to erase keys or texts here.
      const keyHash = sha256(idempotencyKey);
      const hash = sha256(canonicalJson([idempotencyKey, ...location, request]));
      const seen = db.get(
        'SELECT request, result FROM memory_writes WHERE workspace = ? AND idempotency_key = ?',
        workspace,
        keyHash,
      );
      if (seen !== undefined) {
        if (seen['request'] === hash || seen['request'] === '')
          return Object.freeze({ ...(JSON.parse(String(seen['result'])) as Result), repeated: true });
        return refuse(
          'key_reused',
          'the idempotency key of this write was used for another one',
          'Give every write a key of its own.',
        );
      }
      const result = work();
      if (result.kind !== 'refused')
        db.run(
          'INSERT INTO memory_writes (workspace, idempotency_key, request, result) VALUES (?, ?, ?, ?)',
          workspace,
          keyHash,
          hash,
          JSON.stringify(result),
        );
      return result;
    });
  }

  function store(
    item: { readonly key: string; readonly text: string },
    writerInfo: RowWriter,
  ): StoredItem | MemoryRefused {
    const { writer, origins: from = [] } = writerInfo;
    const { key, text } = item;
    const origins = JSON.stringify(from.slice(0, maxOrigins));
    const bytes = sizeOf(item);
    const old = find(key);
    const id = old === undefined ? newId() : String(old['id']);
    const ownerRefusal =
      old === undefined || writerInfo.ownerDecides
        ? null
        : findOwnerRefusal(toItem(old), writerInfo, 'change');
    if (old?.['text'] === text && (old['origins'] === origins || ownerRefusal !== null))
      return Object.freeze({ kind: 'stored', id, change: 'unchanged', repeated: false });
    if (ownerRefusal !== null) return ownerRefusal;
    const sums = db.get(
      `SELECT count(*) AS items, coalesce(sum(bytes), 0) AS bytes FROM memory_items WHERE ${atLocation}`,
      ...location,
    );
    const after = {
      items: Number(sums?.['items']) + (old === undefined ? 1 : 0),
      bytes: Number(sums?.['bytes']) + bytes - Number(old?.['bytes'] ?? 0),
    };
    const full = findOverflow(tier, after, limits);
    if (full !== null) return full;
    const now = clock.now();
    if (old === undefined)
      db.run(
        `INSERT INTO memory_items (id, workspace, tier, place, key, text, bytes, created, updated, writer, origins)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        ...location,
        key,
        text,
        bytes,
        now,
        now,
        writer,
        origins,
      );
    else
      db.run(
        'UPDATE memory_items SET text = ?, bytes = ?, updated = ?, writer = ?, origins = ? WHERE id = ?',
        text,
        bytes,
        now,
        writer,
        origins,
        id,
      );
    return Object.freeze({
      kind: 'stored',
      id,
      change: old === undefined ? 'created' : 'updated',
      repeated: false,
    });
  }

  return {
    put: (item, writerInfo) =>
      findFlaw({ tier, ...item }, limits) ??
      runOnce(writerInfo, ['put', item.key, item.text], () => store(item, writerInfo)),
    get(key) {
      const row = find(key);
      return row === undefined ? null : toItem(row);
    },
    search: (query, limit) =>
      searchItems(
        db.all(`SELECT * FROM memory_items WHERE ${atLocation}`, ...location).map(toItem),
        query,
        limit,
      ),
    list: (limit) =>
      db
        .all(
          `SELECT * FROM memory_items WHERE ${atLocation} ORDER BY updated DESC, seq DESC LIMIT ?`,
          ...location,
          limit,
        )
        .map(toItem),
    forget: (key, writerInfo) =>
      runOnce<Forgotten>(writerInfo, ['forget', key], () => {
        const row = find(key);
        const refused = row === undefined ? null : findOwnerRefusal(toItem(row), writerInfo, 'forget');
        if (refused !== null) return refused;
        const id = row === undefined ? null : String(row['id']);
        if (id !== null) db.run('DELETE FROM memory_items WHERE id = ?', id);
        return Object.freeze({ kind: 'forgotten', id, repeated: false });
      }),
  };
}
