/** The planner takes its own oldest turns out of the conversation, with a summary in their place. */
import { type Pool, type ToolResult, toolFailure, toolReply } from '../core/index.ts';
import type { Asker } from './ask.ts';
import { quoteMaterial } from './boundary.ts';
import { condense } from './condense.ts';
import type { Message } from './messages.ts';
import { pageOf } from './planner-page.ts';

export interface CompactionCall {
  readonly call: string;
  readonly thread: string;
  readonly namespace: string;
  /** Turns at the end that stay as they are. */
  readonly keepTurns: number;
  readonly ask: Asker;
  readonly pool: Pool;
  readonly signal?: AbortSignal;
}

export interface Compacted {
  readonly result: ToolResult;
  /** Absent where there was nothing to take out. */
  readonly rewind?: { readonly after: null; readonly through: string; readonly form: Message };
}

/** Characters of a history that a model is shown; the middle of a longer one is cut. */
const longestTrace = 120_000;
const condensedTokens = 4_000;

export async function compactHistory(
  messages: readonly Message[],
  options: CompactionCall,
): Promise<Compacted> {
  const { call, thread, namespace, keepTurns, ask, pool, signal } = options;
  const starts = messages.flatMap((each, index) => (each.kind === 'user' ? [index] : []));
  // The turn that is under way always stays.
  const cut = starts.at(-Math.max(1, keepTurns)) ?? 0;
  const oldest = messages.slice(0, cut);
  const last = oldest.at(-1);
  if (last === undefined || oldest.length < 2)
    return { result: toolFailure('validation', 'There are no older turns to compact') };
  const text = pageOf(oldest);
  const half = longestTrace / 2;
  const shown = text.length > longestTrace ? `${text.slice(0, half)}\n(cut)\n${text.slice(-half)}` : text;
  const asked = await ask(
    condense,
    {
      work: 'The older turns of a conversation',
      trace: quoteMaterial(shown, { source: 'conversation', trust: 'derived' }),
    },
    {
      tier: 'analyst',
      key: `${call}/condense`,
      pool,
      maxOutputTokens: condensedTokens,
      ...(signal && { signal }),
    },
  );
  if (asked.kind !== 'value')
    return {
      result: toolFailure(
        asked.kind === 'exhausted' ? 'budget' : 'tool',
        asked.kind === 'exhausted'
          ? `Not enough ${asked.exhausted.resource} is left for a summary`
          : asked.message,
      ),
    };
  const write_ids = oldest.flatMap((each) =>
    each.kind === 'tool' ? each.write_ids : each.kind === 'compact' ? each.form.write_ids : [],
  );
  const form: Message = {
    id: `compact-${call}`,
    kind: 'compact',
    form: {
      ...asked.value,
      write_ids: [...new Set(write_ids)],
      dropped: { messages: oldest.length, bytes: Buffer.byteLength(JSON.stringify(oldest)) },
      trace: { thread, namespace },
    },
  };
  return {
    result: toolReply(`${oldest.length} messages were compacted.`, null),
    rewind: { after: null, through: last.id, form },
  };
}
