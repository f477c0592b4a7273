import { manualClock } from '../core/index.ts';
import { flawOf, limitsWith, overflowOf, ownerOnly, refuse, sizeOf } from './limits.ts';
import { holds, matching } from './match.ts';
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

/** A memory that ends with its process. Its clock moves by one millisecond with each write. */
export function scriptedMemory(script: MemoryScript = {}): ScriptedMemory {
  const limits = limitsWith(script.limits);
  const clock = manualClock(1);
  const calls: string[] = [];
  let items: readonly MemoryItem[] = [];
  const writes = new Map<string, { readonly request: string; readonly result: object }>();

  const storedItems = (tier: Tier, within: string | null, held = false) =>
    items.filter((item) => item.tier === tier && item.within === within && item.held === held);
  const newest = (some: readonly MemoryItem[]) => [...some].sort((a, b) => b.updated - a.updated);

  function store(
    { tier, key, text }: MemoryPut,
    within: string | null,
    by: Pick<MemoryWriter, 'writer' | 'origins'>,
    { waits = false, ownerDecides = false } = {},
  ): StoredItem | MemoryRefused {
    const { writer, origins = [] } = by;
    const memoryItems = storedItems(tier, within, waits);
    const old = memoryItems.find((item) => item.key === key);
    const id = old?.id ?? `mem-${String(calls.length).padStart(20, '0')}`;
    const notHis = ownerDecides ? null : ownerOnly(old ?? null, by, 'change');
    if (old?.text === text && (notHis !== null || String(old.origins) === String(origins)))
      return { kind: 'stored', id, change: 'unchanged', repeated: false };
    if (notHis !== null) return notHis;
    const bytes = sizeOf({ key, text });
    const others = memoryItems.filter((item) => item !== old);
    const after = {
      items: others.length + 1,
      bytes: others.reduce((sum, item) => sum + item.bytes, bytes),
    };
    const full = overflowOf(tier, after, limits[tier]);
    if (full !== null) return full;
    clock.advance(1);
    const now = clock.now();
    const stamps = { created: old?.created ?? now, updated: now };
    const item = { id, tier, within, key, text, bytes, ...stamps, writer, origins, held: waits };
    items = [...items.filter((memoryItem) => memoryItem !== old), Object.freeze(item)];
    return { kind: 'stored', id, change: old === undefined ? 'created' : 'updated', repeated: false };
  }

  function once<Result extends { readonly kind: string }>(
    by: MemoryWriter,
    request: readonly unknown[],
    work: () => Result,
  ): Result | MemoryRefused {
    calls.push(request.filter((part) => part !== null).join(' '));
    const key = by.idempotencyKey;
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
    const standing = new Map<Tier, string | null>();
    if (thread) standing.set('conversation', thread);
    if (thread && channel) standing.set('channel', channel);
    for (const tier of ['workspace', 'account'] as const) standing.set(tier, null);
    const absent = (tier: Tier) =>
      refuse('no_place', `there is no tier ${tier} here`, 'Use a tier that exists here.', { tier });
    const itemsOf = (tier: Tier) => (standing.has(tier) ? storedItems(tier, standing.get(tier) ?? null) : []);
    return {
      tiers: tiers.filter((tier) => standing.has(tier)),
      put(item, by) {
        const within = standing.get(item.tier);
        if (within === undefined) return absent(item.tier);
        const flaw = flawOf(item, limits[item.tier]);
        const request = ['put', item.tier, within, item.key, item.text];
        const waits =
          item.tier === 'account' &&
          (by.origins ?? []).length > 0 &&
          storedItems('account', null).every(
            (memoryItem) => memoryItem.key !== item.key || memoryItem.text !== item.text,
          );
        if (flaw !== null) return flaw;
        const stored = once(by, request, () => store(item, within, by, { waits }));
        return waits && stored.kind === 'stored' ? { ...stored, change: 'held' } : stored;
      },
      get: (tier, key) => itemsOf(tier).find((item) => item.key === key) ?? null,
      search: (tier, query, limit) => matching(itemsOf(tier), query, limit),
      list: (tier, limit) => newest(itemsOf(tier)).slice(0, limit),
      forget(tier, key, by) {
        const within = standing.get(tier);
        if (within === undefined) return absent(tier);
        return once<Forgotten | MemoryRefused>(by, ['forget', tier, within, key], () => {
          const old = storedItems(tier, within).find((item) => item.key === key);
          const refused = ownerOnly(old ?? null, by, 'forget');
          if (refused !== null) return refused;
          items = items.filter((item) => item !== old);
          return { kind: 'forgotten', id: old?.id ?? null, repeated: false } as const;
        });
      },
    };
  }

  const everything = ({ tier, within, match }: MemoryFilter = {}) =>
    newest(items).filter(
      (item) =>
        (tier === undefined || item.tier === tier) &&
        (within === undefined || item.within === within) &&
        (match === undefined || holds(item, match)),
    );

  for (const { within, ...item } of script.items ?? []) store(item, within ?? null, { writer: 'script' });
  return {
    limits,
    calls,
    from: viewFrom,
    everything,
    decide(key, take) {
      const item = storedItems('account', null, true).find((memoryItem) => memoryItem.key === key);
      if (item === undefined) return refuse('bad_key', `no item ${key} of the account is held`, 'List them.');
      const taken = take ? store(item, null, item, { ownerDecides: true }) : null;
      if (taken?.kind === 'refused') return taken;
      items = items.filter((memoryItem) => memoryItem !== item);
      return taken ?? { kind: 'forgotten', id: item.id, repeated: false };
    },
    scrub(filter) {
      const gone = new Set(everything(filter));
      items = items.filter((item) => !gone.has(item));
      for (const [key, { result }] of writes) writes.set(key, { request: '', result });
      return { items: gone.size, erased: true };
    },
  };
}
