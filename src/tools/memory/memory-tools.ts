/** The only way in which an agent reads and writes memory. What it sees follows from where the caller stands. */
import { z } from 'zod';
import { type Tool, type ToolCall, type ToolResult, toolFailure, toolReply } from '../../core/index.ts';
import type { Memory, MemoryItem, MemoryRefused, Stored, Tier } from '../../memory/index.ts';
import { tiers } from '../../memory/index.ts';
import { readTool, writeTool } from '../define.ts';

const tier = z.enum(tiers);
const anyTier = tier.optional().describe('Absent: all, narrowest first');
const key = z.string().min(1).max(200);

const writerOf = ({ caller, idempotencyKey, origins = [] }: ToolCall) => ({
  writer: `${caller.kind} ${caller.name}`,
  idempotencyKey,
  // The author's own word is his own, whatever he has read.
  origins: caller.kind === 'user' ? [] : origins,
});

/** Of material that the writers of these had before them. */
const originsOf = (items: readonly MemoryItem[]): readonly string[] => [
  ...new Set(items.flatMap(({ origins }) => origins)),
];

/** Origins that are named beside a text; the data have them all. */
const mostNamed = 3;

function refusal(tool: string, { code, message, remedy, details }: MemoryRefused): ToolResult {
  return toolFailure('validation', message, { remedy, details: { ...details, tool, refusal: code } });
}

/** What was stored out of material is shown with where that is from, before the text itself. */
function line({ tier, key, text, origins }: MemoryItem): string {
  if (origins.length === 0) return `${tier} ${key}: ${text}`;
  const more = origins.length > mostNamed ? ` and ${origins.length - mostNamed} more` : '';
  return `${tier} ${key} (stored after reading ${origins.slice(0, mostNamed).join(', ')}${more}): ${text}`;
}

const saidOf = ({ change }: Stored, { tier, key }: Pick<MemoryItem, 'tier' | 'key'>): string =>
  change === 'held'
    ? `Held for the person, not remembered yet: ${key}. This conversation has read material, and what goes into the account out of it is decided by the person (sonde memory accept).`
    : `${change} in ${tier}: ${key}`;

/** `open` is asked with each call: a host whose callers remember nothing opens no memory. */
export function memoryTools(open: () => Memory | Promise<Memory>): readonly Tool[] {
  const asked = (wanted: Tier | undefined, there: readonly Tier[]) =>
    wanted === undefined ? there : [wanted];
  const missing = (wanted: Tier | undefined, there: readonly Tier[]) =>
    wanted === undefined || there.includes(wanted)
      ? []
      : [`the tier ${wanted} does not exist for this caller`];
  return [
    readTool({
      name: 'get_memory',
      description: 'A remembered item by its key; without a key, the newest items.',
      input: { key: key.optional(), tier: anyTier, limit: z.int().min(1).max(200).default(50) },
      capability: 'MemoryRead',
      cost: 'under 1 ms',
      async run({ key, tier, limit }, { caller }) {
        const view = (await open()).from(caller);
        const from = asked(tier, view.tiers);
        const notes = missing(tier, view.tiers);
        if (key !== undefined) {
          const item = from.map((one) => view.get(one, key)).find((one) => one !== null) ?? null;
          return toolReply(
            item === null ? 'Nothing is remembered under that key.' : line(item),
            { item },
            { notes, origins: item === null ? [] : item.origins },
          );
        }
        // One more than is shown tells whether there are more.
        const items = from.flatMap((one) => view.list(one, limit + 1));
        const shown = items.slice(0, limit);
        return toolReply(
          shown.map(line).join('\n') || 'Nothing is remembered.',
          { items: shown },
          {
            notes,
            origins: originsOf(shown),
            completeness: items.length > limit ? 'partial' : 'complete',
          },
        );
      },
    }),
    writeTool({
      name: 'put_memory',
      description:
        'Remembers a text under a key: for this conversation, its channel, the workspace, or the whole account, where it waits for the person once this conversation has read material. Replaces what the key held.',
      input: { tier, key, text: z.string().min(1) },
      capability: 'MemoryWrite',
      cost: 'some ms; texts up to 8 KB',
      async run(item, call) {
        const stored = (await open()).from(call.caller).put(item, writerOf(call));
        return stored.kind === 'refused'
          ? refusal('put_memory', stored)
          : toolReply(saidOf(stored, item), {
              id: stored.id,
              change: stored.change,
              repeated: stored.repeated,
            });
      },
    }),
    readTool({
      name: 'search_memory',
      description: 'Remembered items that hold words of a query, best first within each tier.',
      input: { query: z.string().min(1).max(1000), tier: anyTier, k: z.int().min(1).max(100).default(10) },
      capability: 'MemoryRead',
      cost: 'some ms',
      async run({ query, tier, k }, { caller }) {
        const view = (await open()).from(caller);
        const hits = asked(tier, view.tiers).flatMap((one) => view.search(one, query, k));
        return toolReply(
          hits.map(({ item }) => line(item)).join('\n') || 'Nothing found.',
          { hits },
          { notes: missing(tier, view.tiers), origins: originsOf(hits.map(({ item }) => item)) },
        );
      },
    }),
    writeTool({
      name: 'forget_memory',
      description: 'Forgets an item.',
      input: { tier, key },
      capability: 'MemoryWrite',
      cost: 'some ms',
      async run({ tier, key }, call) {
        const gone = (await open()).from(call.caller).forget(tier, key, writerOf(call));
        if (gone.kind === 'refused') return refusal('forget_memory', gone);
        return toolReply(gone.id === null ? 'There was nothing to forget.' : `Forgotten: ${key}`, {
          id: gone.id,
          repeated: gone.repeated,
        });
      },
    }),
  ];
}
