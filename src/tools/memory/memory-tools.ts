/** The only way in which an agent reads and writes memory. What it sees follows from where the caller stands. */
import { z } from 'zod';
import { type Tool, type ToolCall, type ToolResult, toolFailure, toolReply } from '../../core/index.ts';
import type { Memory, MemoryItem, MemoryRefused, Tier } from '../../memory/index.ts';
import { tiers } from '../../memory/index.ts';
import { readTool, writeTool } from '../define.ts';

const tier = z.enum(tiers);
const anyTier = tier.optional().describe('Absent: all, narrowest first');
const key = z.string().min(1).max(200);

const writerOf = ({ caller, idempotencyKey }: ToolCall) => ({
  writer: `${caller.kind} ${caller.name}`,
  idempotencyKey,
});

function refusal(tool: string, { code, message, remedy, details }: MemoryRefused): ToolResult {
  return toolFailure('validation', message, { remedy, details: { ...details, tool, refusal: code } });
}

const line = ({ tier, key, text }: MemoryItem): string => `${tier} ${key}: ${text}`;

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
            { notes },
          );
        }
        // One more than is shown tells whether there are more.
        const items = from.flatMap((one) => view.list(one, limit + 1));
        const shown = items.slice(0, limit);
        return toolReply(
          shown.map(line).join('\n') || 'Nothing is remembered.',
          { items: shown },
          { notes, completeness: items.length > limit ? 'partial' : 'complete' },
        );
      },
    }),
    writeTool({
      name: 'put_memory',
      description:
        'Remembers a text under a key: for this conversation, its channel, the workspace, or the whole account. Replaces what the key held.',
      input: { tier, key, text: z.string().min(1) },
      capability: 'MemoryWrite',
      cost: 'some ms; texts up to 8 KB',
      async run(item, call) {
        const stored = (await open()).from(call.caller).put(item, writerOf(call));
        return stored.kind === 'refused'
          ? refusal('put_memory', stored)
          : toolReply(`${stored.change} in ${item.tier}: ${item.key}`, {
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
          { notes: missing(tier, view.tiers) },
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
