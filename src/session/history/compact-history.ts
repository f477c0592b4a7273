/** Replaces the oldest turns of a conversation by a summary. */
import {
  type Pool,
  quoteMaterial,
  resourceNames,
  type ToolResult,
  toolFailure,
  toolReply,
} from '../../core/index.ts';
import type { Asker, ModelAnswer } from '../ask.ts';
import { condense, type HistorySummary } from './condense.ts';
import type { Message } from './messages.ts';
import { collectWords, fitWords } from './person-words.ts';
import { formatTranscript } from './transcript.ts';

export interface CompactionCall {
  readonly call: string;
  readonly thread: string;
  readonly namespace: string;
  /** Turns at the end that stay unchanged. */
  readonly keepTurns: number;
  /** The planner's window in tokens; a part of it is for the person's words. */
  readonly window: number;
  readonly ask: Asker;
  readonly pool: Pool;
  readonly signal?: AbortSignal;
}

export interface CompactionResult {
  readonly result: ToolResult;
  /** Absent if there was nothing to remove. */
  readonly rewind?: { readonly after: null; readonly through: string; readonly form: Message };
}

const quote = (text: string, source: string): string => quoteMaterial(text, { source, trust: 'derived' });

/** Maximum characters of a history in one prompt; a longer one is summarized in pieces. */
const maxTraceLength = 120_000;
const condensedTokens = 4_000;

export async function compactHistory(
  messages: readonly Message[],
  options: CompactionCall,
): Promise<CompactionResult> {
  const { call, thread, namespace, keepTurns, window, ask, pool, signal } = options;
  const turnStarts = messages.flatMap((each, index) => (each.kind === 'user' ? [index] : []));
  // The running turn always stays.
  const firstKept = turnStarts.at(-Math.max(1, keepTurns)) ?? 0;
  const oldest = messages.slice(0, firstKept);
  const lastRemoved = oldest.at(-1);
  if (lastRemoved === undefined || oldest.length < 2)
    return { result: toolFailure('validation', 'There are no older turns to compact') };
  let historySummary: HistorySummary = { summary: '', insights: [] };
  for (const [nth, piece] of splitTranscript(oldest).entries()) {
    const modelAnswer: ModelAnswer<HistorySummary> = await ask(
      condense,
      {
        work: 'The older turns of a conversation. What the person said in them is kept beside the summary.',
        trace: [
          ...(nth === 0 ? [] : [`What came before, in short:\n${quote(historySummary.summary, 'summary')}`]),
          quote(piece, 'conversation'),
        ].join('\n\n'),
      },
      {
        tier: 'analyst',
        key: `${call}/condense-${nth}`,
        pool,
        maxOutputTokens: condensedTokens,
        ...(signal && { signal }),
      },
    );
    if (modelAnswer.kind !== 'value') return { result: toFailure(modelAnswer) };
    historySummary = {
      summary: modelAnswer.value.summary,
      insights: [...historySummary.insights, ...modelAnswer.value.insights],
    };
  }
  const write_ids = oldest.flatMap((each) =>
    each.kind === 'tool' ? each.write_ids : each.kind === 'compact' ? each.form.write_ids : [],
  );
  const form: Message = {
    id: `compact-${call}`,
    kind: 'compact',
    form: {
      ...historySummary,
      said: fitWords(collectWords(oldest), window),
      write_ids: [...new Set(write_ids)],
      dropped: { messages: oldest.length, bytes: Buffer.byteLength(JSON.stringify(oldest)) },
      trace: { thread, namespace },
    },
  };
  return {
    result: toolReply(`${oldest.length} messages were compacted.`, null),
    rewind: { after: null, through: lastRemoved.id, form },
  };
}

/** Splits messages into pieces of whole messages. A single message that is too long loses its middle. */
function splitTranscript(messages: readonly Message[]): readonly string[] {
  const pieces: string[] = [];
  for (const message of messages) {
    const text = shorten(formatTranscript([message]));
    const lastPiece = pieces.at(-1);
    if (lastPiece !== undefined && lastPiece.length + text.length < maxTraceLength)
      pieces[pieces.length - 1] = `${lastPiece}\n\n${text}`;
    else pieces.push(text);
  }
  return pieces;
}

function shorten(text: string): string {
  const halfLength = maxTraceLength / 2;
  return text.length <= maxTraceLength
    ? text
    : `${text.slice(0, halfLength)}\n(cut)\n${text.slice(-halfLength)}`;
}

function toFailure(answer: Exclude<ModelAnswer<HistorySummary>, { kind: 'value' }>): ToolResult {
  return answer.kind === 'exhausted'
    ? toolFailure('budget', `Not enough ${resourceNames[answer.exhausted.resource]} is left for a summary`)
    : toolFailure('tool', answer.message);
}
