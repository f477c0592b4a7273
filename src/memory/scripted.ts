import { manualClock } from '../core/index.ts';
import { findFlaw, findOverflow, findOwnerRefusal, mergeLimits, refuse, sizeOf } from './limits.ts';
import { containsText, searchItems } from './match.ts';
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

export interface MemoryScript {
  /** The initial items, each in the place it names. */
  readonly items?: readonly (MemoryPut & { readonly within?: string })[];
  readonly limits?: Partial<Record<Tier, Partial<TierLimits>>>;
}

export interface ScriptedMemory extends Memory {
  /** The writes and removals, in order: `put conversation/t1 key`. */
  readonly calls: readonly string[];
}

/** A memory in this process. Its clock advances by one millisecond with each write. */
export function scriptedMemory(script: MemoryScript = {}): ScriptedMemory {
  const limits = mergeLimits(script.limits);
  const clock = manualClock(1);
  const calls: string[] = [];
  let items: readonly MemoryItem[] = [];
  const writes = new Map<string, { readonly request: string; readonly result: object }>();

  const findItems = (tier: Tier, within: string | null, isHeld = false) =>
    items.filter((item) => item.tier === tier && item.within === within && item.held === isHeld);
  const newestFirst = (some: readonly MemoryItem[]) => [...some].sort((a, b) => b.updated - a.updated);

  function store(
    { tier, key, text }: MemoryPut,
    within: string | null,
    writerInfo: Pick<MemoryWriter, 'writer' | 'origins'>,
    { waits: isHeld = false, ownerDecides = false } = {},
  ): StoredItem | MemoryRefused {
    const { writer, origins = [] } = writerInfo;
    const memoryItems = findItems(tier, within, isHeld);
    const old = memoryItems.find((item) => item.key === key);
    const id = old?.id ?? `mem-${String(calls.length).padStart(20, '0')}`;
    const ownerRefusal = ownerDecides ? null : findOwnerRefusal(old ?? null, writerInfo, 'change');
    if (old?.text === text && (ownerRefusal !== null || String(old.origins) === String(origins)))
      return { kind: 'stored', id, change: 'unchanged', repeated: false };
    if (ownerRefusal !== null) return ownerRefusal;
    const bytes = sizeOf({ key, text });
    const others = memoryItems.filter((item) => item !== old);
    const after = {
      items: others.length + 1,
      bytes: others.reduce((sum, item) => sum + item.bytes, bytes),
    };
    const full = findOverflow(tier, after, limits[tier]);
    if (full !== null) return full;
    clock.advance(1);
    const now = clock.now();
    const stamps = { created: old?.created ?? now, updated: now };
    const item = { id, tier, within, key, text, bytes, ...stamps, writer, origins, held: isHeld };
    items = [...items.filter((memoryItem) => memoryItem !== old), Object.freeze(item)];
    return { kind: 'stored', id, change: old === undefined ? 'created' : 'updated', repeated: false };
  }

  function runOnce<Result extends { readonly kind: string }>(
    writerInfo: MemoryWriter,
    request: readonly unknown[],
    work: () => Result,
  ): Result | MemoryRefused {
    calls.push(request.filter((part) => part !== null).join(' '));
    const key = writerInfo.idempotencyKey;
    const seen = key === null ? undefined : writes.get(key);
    if (seen !== undefined)
      return seen.request === '' || seen.request === JSON.stringify(request)
        ? ({ ...seen.result, repeated: true } as unknown as Result)
        : refuse('key_reused', `the key ${key} was used for another write`, 'Give every write its own key.');
    const result = work();
    if (key !== null && result.kind !== 'refused')
      writes.set(key, { request: JSON.stringify(request), result });
    return result;
  }

  function viewFrom({ thread, channel }: ReaderPosition): MemoryView {
    const placesByTier = new Map<Tier, string | null>();
    if (thread) placesByTier.set('conversation', thread);
    if (thread && channel) placesByTier.set('channel', channel);
    for (const tier of ['workspace', 'account'] as const) placesByTier.set(tier, null);
    const refuseTier = (tier: Tier) =>
      refuse('no_place', `there is no tier ${tier} here`, 'Use a tier that exists here.', { tier });
    const itemsOf = (tier: Tier) =>
      placesByTier.has(tier) ? findItems(tier, placesByTier.get(tier) ?? null) : [];
    return {
      tiers: tiers.filter((tier) => placesByTier.has(tier)),
      put(item, writerInfo) {
        const within = placesByTier.get(item.tier);
        if (within === undefined) return refuseTier(item.tier);
        const flaw = findFlaw(item, limits[item.tier]);
        const request = ['put', item.tier, within, item.key, item.text];
        const isHeld =
          item.tier === 'account' &&
          (writerInfo.origins ?? []).length > 0 &&
          findItems('account', null).every(
            (memoryItem) => memoryItem.key !== item.key || memoryItem.text !== item.text,
          );
        if (flaw !== null) return flaw;
        const stored = runOnce(writerInfo, request, () => store(item, within, writerInfo, { waits: isHeld }));
        return isHeld && stored.kind === 'stored' ? { ...stored, change: 'held' } : stored;
      },
      get: (tier, key) => itemsOf(tier).find((item) => item.key === key) ?? null,
      search: (tier, query, limit) => searchItems(itemsOf(tier), query, limit),
      list: (tier, limit) => newestFirst(itemsOf(tier)).slice(0, limit),
      forget(tier, key, writerInfo) {
        const within = placesByTier.get(tier);
        if (within === undefined) return refuseTier(tier);
        return runOnce<Forgotten | MemoryRefused>(writerInfo, ['forget', tier, within, key], () => {
          const old = findItems(tier, within).find((item) => item.key === key);
          const refused = findOwnerRefusal(old ?? null, writerInfo, 'forget');
          if (refused !== null) return refused;
          items = items.filter((item) => item !== old);
          return { kind: 'forgotten', id: old?.id ?? null, repeated: false } as const;
        });
      },
    };
  }

  const listAll = ({ tier, within, match }: MemoryFilter = {}) =>
    newestFirst(items).filter(
      (item) =>
        (tier === undefined || item.tier === tier) &&
        (within === undefined || item.within === within) &&
        (match === undefined || containsText(item, match)),
    );

  for (const { within, ...item } of script.items ?? []) store(item, within ?? null, { writer: 'script' });
  return {
    limits,
    calls,
    viewFrom,
    listAll,
    decide(key, accept) {
      const item = findItems('account', null, true).find((memoryItem) => memoryItem.key === key);
      if (item === undefined) return refuse('bad_key', `no item ${key} of the account is held`, 'List them.');
      const accepted = accept ? store(item, null, item, { ownerDecides: true }) : null;
      if (accepted?.kind === 'refused') return accepted;
      items = items.filter((memoryItem) => memoryItem !== item);
      return accepted ?? { kind: 'forgotten', id: item.id, repeated: false };
    },
    scrub(filter) {
      const removed = new Set(listAll(filter));
      items = items.filter((item) => !removed.has(item));
      for (const [key, { result }] of writes) writes.set(key, { request: '', result });
      return { items: removed.size, erased: true };
    },
  };
}
