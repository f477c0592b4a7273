/** The only way in which an agent reads and writes memory. The caller's thread and channel decide what it sees. */
import { z } from 'zod';
import {
  type CallContext,
  done,
  type Entry,
  type EntryDefinition,
  type EntryFailed,
  entry,
  failed,
  formatCount,
  toLines,
} from '../../catalogue/index.ts';
import { forPrograms, type Tool, type ToolCall } from '../../core/index.ts';
import type { Memory, MemoryItem, MemoryRefused, StoredItem, Tier } from '../../memory/index.ts';
import { tiers } from '../../memory/memory.ts';
import { toolOf } from '../tool-of.ts';

const tier = z.enum(tiers);
const anyTier = tier.optional().describe('Absent: all, narrowest first').meta(forPrograms);
const key = z.string().min(1).max(200);

const writerOf = ({ caller, idempotencyKey, origins = [] }: ToolCall) => ({
  writer: `${caller.kind} ${caller.name}`,
  idempotencyKey,
  // What the author writes counts as the author's own, whatever was read before.
  origins: caller.kind === 'user' ? [] : origins,
});

/** The sources of the material that the writers of the items had read. */
const originsOf = (items: readonly MemoryItem[]): readonly string[] => [
  ...new Set(items.flatMap(({ origins }) => origins)),
];

/** Maximum origins that are named beside a text; the data name all of them. */
const maxNamed = 3;

const refusal = ({ code, message, remedy, details }: MemoryRefused): EntryFailed =>
  failed(message, { remedy, details: { ...details, refusal: code } });

/** If an item was made from material, its origins are shown before its text. */
function line({ tier, key, text, origins }: MemoryItem): string {
  if (origins.length === 0) return `${tier} ${key}: ${text}`;
  const more = origins.length > maxNamed ? ` and ${origins.length - maxNamed} more` : '';
  return `${tier} ${key} (stored after reading ${origins.slice(0, maxNamed).join(', ')}${more}): ${text}`;
}

const describeStored = ({ change }: StoredItem, { tier, key }: Pick<MemoryItem, 'tier' | 'key'>): string =>
  change === 'held'
    ? `Held for the person, not remembered yet: ${key}. This conversation has read material, and what goes into the account out of it is decided by the person (sonde memory accept).`
    : `${change} in ${tier}: ${key}`;

interface MemoryPorts {
  /** Called with each call of a tool, so that a host opens no memory before one is needed. */
  readonly open: () => Memory | Promise<Memory>;
}

type MemoryContext = CallContext<MemoryPorts>;

const memoryEntry = <Shape extends z.ZodRawShape>(
  definition: EntryDefinition<MemoryContext, Shape>,
): Entry<MemoryContext> => entry(definition);

const viewOf = async ({ ports, call }: MemoryContext) => (await ports.open()).from(call.caller);

const pickTier = (wanted: Tier | undefined, there: readonly Tier[]) =>
  wanted === undefined ? there : [wanted];

const missing = (wanted: Tier | undefined, there: readonly Tier[]) =>
  wanted === undefined || there.includes(wanted) ? [] : [`the tier ${wanted} does not exist for this caller`];

const showItems = (items: readonly MemoryItem[]) => items.flatMap((item) => toLines(line(item)));

export const memoryEntries: readonly Entry<MemoryContext>[] = [
  memoryEntry({
    name: 'get_memory',
    description: 'A remembered item by its key; without a key, the newest items.',
    parameters: z.object({
      key: key.optional(),
      tier: anyTier,
      limit: z.int().min(1).max(200).default(50),
    }),
    capability: 'MemoryRead',
    effect: 'read',
    cost: 'under 1 ms',
    async run({ key, tier, limit }, context) {
      const view = await viewOf(context);
      const from = pickTier(tier, view.tiers);
      const notes = missing(tier, view.tiers);
      if (key !== undefined) {
        const item = from.map((one) => view.get(one, key)).find((memoryItem) => memoryItem !== null) ?? null;
        const items = item === null ? [] : [item];
        return done({
          summary: formatCount(items.length, 'item'),
          lines: showItems(items),
          nothing: 'Nothing is remembered under that key.',
          data: { item },
          notes,
          origins: originsOf(items),
        });
      }
      // Asks for one more than is shown, to see whether there are more.
      const items = from.flatMap((one) => view.list(one, limit + 1));
      const memoryItems = items.slice(0, limit);
      return done({
        summary: formatCount(memoryItems.length, 'item'),
        lines: showItems(memoryItems),
        nothing: 'Nothing is remembered.',
        data: { items: memoryItems },
        notes,
        origins: originsOf(memoryItems),
        completeness: items.length > limit ? 'partial' : 'complete',
      });
    },
  }),
  memoryEntry({
    name: 'put_memory',
    description:
      'Remembers a text under a key, in place of what it held. In the account it waits for the person once this conversation has read material.',
    parameters: z.object({ tier, key, text: z.string().min(1) }),
    capability: 'MemoryWrite',
    effect: 'write',
    cost: 'some ms; texts up to 8 KB',
    async run(item, context) {
      const stored = (await viewOf(context)).put(item, writerOf(context.call));
      if (stored.kind === 'refused') return refusal(stored);
      const { id, change, repeated } = stored;
      return done({
        summary: change,
        lines: toLines(describeStored(stored, item)),
        data: { id, change, repeated },
      });
    },
  }),
  memoryEntry({
    name: 'search_memory',
    description: 'Remembered items that hold words of a query.',
    parameters: z.object({
      query: z.string().min(1).max(1000),
      tier: anyTier,
      k: z.int().min(1).max(100).default(10).meta(forPrograms),
    }),
    capability: 'MemoryRead',
    effect: 'read',
    cost: 'some ms',
    async run({ query, tier, k }, context) {
      const view = await viewOf(context);
      const hits = pickTier(tier, view.tiers).flatMap((one) => view.search(one, query, k));
      const items = hits.map(({ item }) => item);
      return done({
        summary: formatCount(items.length, 'item'),
        lines: showItems(items),
        nothing: 'Nothing found.',
        data: { hits },
        ranked: true,
        notes: missing(tier, view.tiers),
        origins: originsOf(items),
      });
    },
  }),
  memoryEntry({
    name: 'forget_memory',
    description: 'Forgets an item.',
    parameters: z.object({ tier, key }),
    capability: 'MemoryWrite',
    effect: 'write',
    cost: 'some ms',
    async run({ tier, key }, context) {
      const gone = (await viewOf(context)).forget(tier, key, writerOf(context.call));
      if (gone.kind === 'refused') return refusal(gone);
      const { id, repeated } = gone;
      return done({
        summary: id === null ? 'nothing to forget' : 'forgotten',
        lines: toLines(id === null ? 'There was nothing to forget.' : `Forgotten: ${key}`),
        data: { id, repeated },
      });
    },
  }),
];

/** `open` is called with each call of a tool. */
export const memoryTools = (open: MemoryPorts['open']): readonly Tool[] =>
  memoryEntries.map((one) => toolOf(one, (call): MemoryContext => ({ ports: { open }, call })));
