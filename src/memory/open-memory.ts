import { type Clock, systemClock } from '../core/index.ts';
import type { Database } from '../store/index.ts';
import { mergeLimits, refuse } from './limits.ts';
import {
  type Forgotten,
  type Memory,
  type MemoryFilter,
  type MemoryItem,
  type MemoryPut,
  type MemoryRefused,
  type MemoryView,
  type MemoryWriter,
  type ReaderPosition,
  type StoredItem,
  type Tier,
  type TierLimits,
  tiers,
} from './memory.ts';
import { heldPlace, type MemoryRows, memoryRows } from './memory-rows.ts';
import { accountMemorySchema, workspaceMemorySchema } from './schema.ts';
import { erase, findItems, overwriteDeleted, removeItems } from './scrub.ts';

export interface MemoryOptions {
  /** The database of the workspace: the three narrower tiers. */
  readonly workspace: Database;
  /** The id of that workspace: items of other workspaces are not seen, even in the same file. */
  readonly workspaceId: string;
  /** The database of the account, another file. */
  readonly account: Database;
  readonly limits?: Partial<Record<Tier, Partial<TierLimits>>>;
  readonly clock?: Clock;
}

/** Throws the errors of the databases. */
export function openMemory(options: MemoryOptions): Memory {
  const { workspace, workspaceId, account, clock = systemClock } = options;
  const limits = mergeLimits(options.limits);
  workspace.include(workspaceMemorySchema);
  account.include(accountMemorySchema);
  for (const db of [workspace, account]) overwriteDeleted(db);

  const openRows = (tier: Tier, place: string): MemoryRows =>
    memoryRows({
      db: tier === 'account' ? account : workspace,
      workspace: tier === 'account' ? '' : workspaceId,
      clock,
      tier,
      place,
      limits: limits[tier],
    });

  /** The tiers that a reader sees. A channel's items are seen only from its conversations. */
  function openTiers({ thread, channel }: ReaderPosition): ReadonlyMap<Tier, MemoryRows> {
    const places: Readonly<Record<Tier, string | null>> = {
      conversation: thread,
      channel: thread === null ? null : channel,
      workspace: '',
      account: '',
    };
    const rowsByTier = new Map<Tier, MemoryRows>();
    for (const tier of tiers) {
      const place = places[tier];
      if (place !== null && (place !== '' || tier === 'workspace' || tier === 'account'))
        rowsByTier.set(tier, openRows(tier, place));
    }
    return rowsByTier;
  }

  const selectDatabases = ({ tier }: MemoryFilter) =>
    [
      { db: workspace, id: workspaceId, asked: tier !== 'account' },
      { db: account, id: '', asked: tier === undefined || tier === 'account' },
    ].filter(({ asked }) => asked);

  return Object.freeze({
    limits,
    viewFrom: (place) => createView(openTiers(place), openRows('account', heldPlace)),
    decide: (key, accept) =>
      account.atomic(() =>
        decideHeldItem(openRows('account', heldPlace), openRows('account', ''), key, accept),
      ),
    listAll(filter = {}) {
      const items = selectDatabases(filter).flatMap(({ db, id }) => findItems(db, id, filter));
      return items.sort((a, b) => b.updated - a.updated);
    },
    scrub(filter = {}) {
      let items = 0;
      let erased = true;
      for (const { db, id } of selectDatabases(filter)) {
        const scrubbed = db.atomic((): readonly MemoryItem[] => {
          const all = findItems(db, id, filter);
          removeItems(db, id, all);
          return all;
        });
        items += scrubbed.length;
        // Runs even if no item was found: it erases what an earlier scrub could not erase.
        if (!erase(db)) erased = false;
      }
      return Object.freeze({ items, erased });
    },
  } satisfies Memory);
}

const refuseTier = (tier: Tier) =>
  refuse(
    'no_place',
    `there is no tier ${tier} here: the caller is in no ${tier === 'channel' ? 'channel' : 'conversation'}`,
    'Use a tier that exists here: workspace and account always do.',
    { tier },
  );

/** In the account, text that may repeat foreign material waits for the owner, since every conversation would see it. */
function put(
  rowsByTier: ReadonlyMap<Tier, MemoryRows>,
  heldRows: MemoryRows,
  item: MemoryPut,
  writerInfo: MemoryWriter,
): StoredItem | MemoryRefused {
  const rows = rowsByTier.get(item.tier);
  if (rows === undefined) return refuseTier(item.tier);
  const isHeld = item.tier === 'account' && (writerInfo.origins ?? []).length > 0;
  if (!isHeld || rows.get(item.key)?.text === item.text) return rows.put(item, writerInfo);
  const stored = heldRows.put(item, writerInfo);
  return stored.kind === 'refused' ? stored : Object.freeze({ ...stored, change: 'held' });
}

function decideHeldItem(
  heldRows: MemoryRows,
  account: MemoryRows,
  key: string,
  accept: boolean,
): StoredItem | Forgotten | MemoryRefused {
  const item = heldRows.get(key);
  if (item === null)
    return refuse(
      'bad_key',
      `no item ${key} of the account is held`,
      'sonde memory ls shows those that are.',
    );
  const { writer, origins } = item;
  const accepted = accept
    ? account.put(item, { writer, origins, idempotencyKey: null, ownerDecides: true })
    : null;
  if (accepted?.kind === 'refused') return accepted;
  const dropped = heldRows.forget(key, { writer, idempotencyKey: null });
  return accepted ?? dropped;
}

function createView(rowsByTier: ReadonlyMap<Tier, MemoryRows>, heldRows: MemoryRows): MemoryView {
  return Object.freeze({
    tiers: [...rowsByTier.keys()],
    put: (item, writerInfo) => put(rowsByTier, heldRows, item, writerInfo),
    get: (tier, key) => rowsByTier.get(tier)?.get(key) ?? null,
    search: (tier, query, limit) => rowsByTier.get(tier)?.search(query, limit) ?? [],
    list: (tier, limit) => rowsByTier.get(tier)?.list(limit) ?? [],
    forget: (tier, key, writerInfo) => rowsByTier.get(tier)?.forget(key, writerInfo) ?? refuseTier(tier),
  } satisfies MemoryView);
}
