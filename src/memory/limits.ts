import { SondeError } from '../core/index.ts';
import type {
  MemoryItem,
  MemoryPut,
  MemoryRefusalCode,
  MemoryRefused,
  MemoryWriter,
  Tier,
  TierLimits,
} from './memory.ts';

const kib = 1024;

/**
 * Memory is for short notes, not for pages: a narrow tier must fit into a planner's context, and a wide one into one
 * scan.
 */
export const defaultLimits: Readonly<Record<Tier, TierLimits>> = Object.freeze({
  conversation: { items: 200, bytes: 256 * kib, item_bytes: 8 * kib },
  channel: { items: 500, bytes: 512 * kib, item_bytes: 8 * kib },
  workspace: { items: 2_000, bytes: 2_048 * kib, item_bytes: 16 * kib },
  account: { items: 500, bytes: 512 * kib, item_bytes: 8 * kib },
});

/** Maximum characters of a key. */
const maxKeyLength = 200;
const allowedInKey = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

export const sizeOf = ({ key, text }: Pick<MemoryPut, 'key' | 'text'>): number =>
  Buffer.byteLength(key) + Buffer.byteLength(text);

export function refuse(
  code: MemoryRefusalCode,
  message: string,
  remedy: string,
  details: Readonly<Record<string, unknown>> = {},
): MemoryRefused {
  return Object.freeze({ kind: 'refused', code, message, remedy, details });
}

/** The reason why an item is not valid; null if it is. */
export function findFlaw(item: MemoryPut, { item_bytes }: TierLimits): MemoryRefused | null {
  const { key, text, tier } = item;
  if (key.trim() !== key || key.length > maxKeyLength || !allowedInKey.test(key))
    return refuse(
      'bad_key',
      `${JSON.stringify(key.slice(0, 40))} cannot name an item`,
      `Give one line of 1 to ${maxKeyLength} characters without space around it.`,
    );
  if (text.trim() === '' || !text.isWellFormed() || text.includes('\0'))
    return refuse('bad_text', `the text of ${key} is empty or is no text`, 'Give what is to be remembered.');
  const bytes = sizeOf(item);
  if (bytes > item_bytes)
    return refuse(
      'too_large',
      `${key} has ${bytes} bytes, and an item of the tier ${tier} may have ${item_bytes}`,
      'Keep the essence of it; what is longer belongs on a page.',
      { tier, bytes, allowed: item_bytes },
    );
  return null;
}

/** The refusal for a writer that has read foreign material and may not change or forget an item; null if it may. */
export function findOwnerRefusal(
  old: Pick<MemoryItem, 'tier' | 'key' | 'writer' | 'origins'> | null,
  { origins = [] }: Pick<MemoryWriter, 'origins'>,
  action: 'change' | 'forget',
): MemoryRefused | null {
  if (old === null || origins.length === 0) return null;
  const { tier, key } = old;
  const isOwn = old.origins.length === 0 && old.writer.startsWith('user ');
  if (!isOwn && !(action === 'forget' && tier === 'account')) return null;
  return refuse(
    'owner_only',
    `${key} in ${tier} is for its owner to ${action}, since this conversation has read material`,
    action === 'forget'
      ? `Tell the person, who can: sonde memory rm ${key} --tier ${tier}.`
      : 'Use another key, or ask the person.',
    { tier, key },
  );
}

/** The refusal if a tier would exceed its limits after a write; null if it fits. */
export function findOverflow(
  tier: Tier,
  after: { readonly items: number; readonly bytes: number },
  allowed: TierLimits,
): MemoryRefused | null {
  const refuseFull = (resource: 'items' | 'bytes') =>
    refuse(
      'full',
      `the tier ${tier} would hold ${after[resource]} ${resource} here, and may hold ${allowed[resource]}`,
      'Forget what is no longer needed in this tier, then try again.',
      { tier, what: resource, would_hold: after[resource], allowed: allowed[resource] },
    );
  if (after.items > allowed.items) return refuseFull('items');
  return after.bytes > allowed.bytes ? refuseFull('bytes') : null;
}

/** Throws `bad_argument` for a limit that is no whole number above zero. */
export function mergeLimits(
  overrides: Partial<Record<Tier, Partial<TierLimits>>> = {},
): Readonly<Record<Tier, TierLimits>> {
  const merged = Object.fromEntries(
    Object.entries(defaultLimits).map(([tier, limits]) => [tier, { ...limits, ...overrides[tier as Tier] }]),
  ) as Record<Tier, TierLimits>;
  for (const [tier, limits] of Object.entries(merged))
    for (const [name, value] of Object.entries(limits))
      if (!Number.isSafeInteger(value) || value < 1)
        throw new SondeError('bad_argument', {
          message: `the limit ${name} of the tier ${tier} is ${value}`,
          remedy: 'Give a whole number above zero.',
        });
  return Object.freeze(merged);
}
