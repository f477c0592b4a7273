/**
 * The tools for memory, the only way in which an agent reads and writes it. The caller's thread and channel decide what
 * it sees.
 */
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
import { toTool } from '../to-tool.ts';

const tier = z.enum(tiers);
const anyTier = tier.optional().describe('Absent: all, narrowest first').meta(forPrograms);
const key = z.string().min(1).max(200);

const toWriter = ({ caller, idempotencyKey, origins = [] }: ToolCall) => ({
  writer: `${caller.kind} ${caller.name}`,
  idempotencyKey,
  // What the author writes counts as the author's own, whatever was read before.
  origins: caller.kind === 'user' ? [] : origins,
});

/** The foreign sources that the writers of the items had read. */
const collectOrigins = (items: readonly MemoryItem[]): readonly string[] => [
  ...new Set(items.flatMap(({ origins }) => origins)),
];

/** Maximum origins that are named beside a text; the data name all of them. */
const maxNamed = 3;

const toFailed = ({ code, message, remedy, details }: MemoryRefused): EntryFailed =>
  failed(message, { remedy, details: { ...details, refusal: code } });

/** If an item was made from material, its origins are shown before its text. */
function formatItem({ tier, key, text, origins }: MemoryItem): string {
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

const openView = async ({ ports, call }: MemoryContext) => (await ports.open()).viewFrom(call.caller);

const pickTier = (wanted: Tier | undefined, available: readonly Tier[]) =>
  wanted === undefined ? available : [wanted];

const findMissingTier = (wanted: Tier | undefined, available: readonly Tier[]) =>
  wanted === undefined || available.includes(wanted)
    ? []
    : [`the tier ${wanted} does not exist for this caller`];

const formatItems = (items: readonly MemoryItem[]) => items.flatMap((item) => toLines(formatItem(item)));

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
      const view = await openView(context);
      const searchedTiers = pickTier(tier, view.tiers);
      const notes = findMissingTier(tier, view.tiers);
      if (key !== undefined) {
        const item =
          searchedTiers
            .map((searchedTier) => view.get(searchedTier, key))
            .find((memoryItem) => memoryItem !== null) ?? null;
        const items = item === null ? [] : [item];
        return done({
          summary: formatCount(items.length, 'item'),
          lines: formatItems(items),
          nothing: 'Nothing is remembered under that key.',
          data: { item },
          notes,
          origins: collectOrigins(items),
        });
      }
      // Asks for one more than is shown, to see whether there are more.
      const items = searchedTiers.flatMap((searchedTier) => view.list(searchedTier, limit + 1));
      const memoryItems = items.slice(0, limit);
      return done({
        summary: formatCount(memoryItems.length, 'item'),
        lines: formatItems(memoryItems),
        nothing: 'Nothing is remembered.',
        data: { items: memoryItems },
        notes,
        origins: collectOrigins(memoryItems),
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
      const stored = (await openView(context)).put(item, toWriter(context.call));
      if (stored.kind === 'refused') return toFailed(stored);
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
      const view = await openView(context);
      const hits = pickTier(tier, view.tiers).flatMap((searchedTier) => view.search(searchedTier, query, k));
      const items = hits.map(({ item }) => item);
      return done({
        summary: formatCount(items.length, 'item'),
        lines: formatItems(items),
        nothing: 'Nothing found.',
        data: { hits },
        ranked: true,
        notes: findMissingTier(tier, view.tiers),
        origins: collectOrigins(items),
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
      const forgotten = (await openView(context)).forget(tier, key, toWriter(context.call));
      if (forgotten.kind === 'refused') return toFailed(forgotten);
      const { id, repeated } = forgotten;
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
  memoryEntries.map((each) => toTool(each, (call): MemoryContext => ({ ports: { open }, call })));
