import { type Clock, systemClock } from '../core/index.ts';
import type { Database } from '../store/index.ts';
import { limitsWith, refuse } from './limits.ts';
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
import { erase, findItems, overwriteDeleted, remove } from './scrub.ts';

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
  const limits = limitsWith(options.limits);
  workspace.include(workspaceMemorySchema);
  account.include(accountMemorySchema);
  for (const db of [workspace, account]) overwriteDeleted(db);

  const rowsOfTier = (tier: Tier, place: string): MemoryRows =>
    memoryRows({
      db: tier === 'account' ? account : workspace,
      workspace: tier === 'account' ? '' : workspaceId,
      clock,
      tier,
      place,
      limits: limits[tier],
    });

  /** A channel's items are seen only from its conversations. */
  function shelves({ thread, channel }: ReaderPosition): ReadonlyMap<Tier, MemoryRows> {
    const places: Readonly<Record<Tier, string | null>> = {
      conversation: thread,
      channel: thread === null ? null : channel,
      workspace: '',
      account: '',
    };
    const standing = new Map<Tier, MemoryRows>();
    for (const tier of tiers) {
      const place = places[tier];
      if (place !== null && (place !== '' || tier === 'workspace' || tier === 'account'))
        standing.set(tier, rowsOfTier(tier, place));
    }
    return standing;
  }

  const parts = ({ tier }: MemoryFilter) =>
    [
      { db: workspace, id: workspaceId, asked: tier !== 'account' },
      { db: account, id: '', asked: tier === undefined || tier === 'account' },
    ].filter(({ asked }) => asked);

  return Object.freeze({
    limits,
    from: (place) => viewOf(shelves(place), rowsOfTier('account', heldPlace)),
    decide: (key, take) =>
      account.atomic(() => decideOn(rowsOfTier('account', heldPlace), rowsOfTier('account', ''), key, take)),
    everything(filter = {}) {
      const items = parts(filter).flatMap(({ db, id }) => findItems(db, id, filter));
      return items.sort((a, b) => b.updated - a.updated);
    },
    scrub(filter = {}) {
      let items = 0;
      let erased = true;
      for (const { db, id } of parts(filter)) {
        const scrubbed = db.atomic((): readonly MemoryItem[] => {
          const all = findItems(db, id, filter);
          remove(db, id, all);
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

const absent = (tier: Tier) =>
  refuse(
    'no_place',
    `there is no tier ${tier} here: the caller is in no ${tier === 'channel' ? 'channel' : 'conversation'}`,
    'Use a tier that exists here: workspace and account always do.',
    { tier },
  );

/** Text that may repeat foreign material waits for the owner: in the account, every conversation would see it. */
function put(
  standing: ReadonlyMap<Tier, MemoryRows>,
  memoryRows: MemoryRows,
  item: MemoryPut,
  by: MemoryWriter,
): StoredItem | MemoryRefused {
  const there = standing.get(item.tier);
  if (there === undefined) return absent(item.tier);
  const waits = item.tier === 'account' && (by.origins ?? []).length > 0;
  if (!waits || there.get(item.key)?.text === item.text) return there.put(item, by);
  const stored = memoryRows.put(item, by);
  return stored.kind === 'refused' ? stored : Object.freeze({ ...stored, change: 'held' });
}

function decideOn(
  memoryRows: MemoryRows,
  account: MemoryRows,
  key: string,
  take: boolean,
): StoredItem | Forgotten | MemoryRefused {
  const item = memoryRows.get(key);
  if (item === null)
    return refuse(
      'bad_key',
      `no item ${key} of the account is held`,
      'sonde memory ls shows those that are.',
    );
  const { writer, origins } = item;
  const taken = take
    ? account.put(item, { writer, origins, idempotencyKey: null, ownerDecides: true })
    : null;
  if (taken?.kind === 'refused') return taken;
  const gone = memoryRows.forget(key, { writer, idempotencyKey: null });
  return taken ?? gone;
}

function viewOf(standing: ReadonlyMap<Tier, MemoryRows>, memoryRows: MemoryRows): MemoryView {
  return Object.freeze({
    tiers: [...standing.keys()],
    put: (item, by) => put(standing, memoryRows, item, by),
    get: (tier, key) => standing.get(tier)?.get(key) ?? null,
    search: (tier, query, limit) => standing.get(tier)?.search(query, limit) ?? [],
    list: (tier, limit) => standing.get(tier)?.list(limit) ?? [],
    forget: (tier, key, by) => standing.get(tier)?.forget(key, by) ?? absent(tier),
  } satisfies MemoryView);
}
