/** Formats an answer for chat clients, as one object or as a stream of chunks. */
import { type Claim, type Evidence, isRefused } from '../../../core/index.ts';
import { safeJson } from '../../safe-json.ts';
import { type ChatError, errorText } from './chat-error.ts';
import type { ChatUsage } from './chat-usage.ts';

export interface Annotation {
  readonly type: 'url_citation';
  readonly url_citation: {
    readonly start_index: number;
    readonly end_index: number;
    readonly title: string;
    /** Opens the page of this server at the cited lines. */
    readonly url: string;
  };
}

/** The answer of a turn or a run. */
export interface ChatAnswer {
  readonly text: string;
  /** `length`: the budget ended it. */
  readonly finish: 'stop' | 'length';
  readonly annotations: readonly Annotation[];
  readonly usage: ChatUsage;
}

export interface ChatHead {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly model: string;
}

export const toReply = ({ id, created, model }: ChatHead, answer: ChatAnswer) => ({
  id,
  object: 'chat.completion',
  created,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: answer.text, refusal: null, annotations: answer.annotations },
      logprobs: null,
      finish_reason: answer.finish,
    },
  ],
  usage: answer.usage,
});

const event = (value: unknown): string => `data: ${safeJson(value)}\n\n`;
export const keepAlive = (note: string): string => `: ${note.replaceAll(/[\r\n]+/g, ' ').slice(0, 200)}\n\n`;
export const streamError = (error: ChatError): string => `data: ${errorText(error)}\n\n`;

type Delta = Readonly<Record<string, unknown>>;

function chunk({ id, created, model }: ChatHead, delta: Delta, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event({ id, object: 'chat.completion.chunk', created, model, choices });
}

export const streamStart = (head: ChatHead): string => chunk(head, { role: 'assistant', content: '' });

/** Matches pieces of up to 80 characters, which end between words where possible. */
const textPieces = /[\s\S]{1,80}(?:\s|$)|[\s\S]{1,80}/g;

/** Formats a checked answer as a stream. It is sent after the check, so nothing has to be retracted. */
export function streamAnswer(head: ChatHead, answer: ChatAnswer, usage: boolean): string {
  const { id, created, model } = head;
  return [
    ...(answer.text.match(textPieces) ?? []).map((content) => chunk(head, { content })),
    ...(answer.annotations.length > 0 ? [chunk(head, { annotations: answer.annotations })] : []),
    chunk(head, {}, answer.finish),
    ...(usage
      ? [event({ id, object: 'chat.completion.chunk', created, model, choices: [], usage: answer.usage })]
      : []),
    'data: [DONE]\n\n',
  ].join('');
}

const marker = /\[((?:ev|bl|pg)-[0-9a-z]{8,40})\]/g;

/** The citation of a claim or of a marker, with its address on the page of this server. */
export interface LinkedCitation {
  readonly title: string;
  readonly url: string;
}

/**
 * Finds the lines of the evidence that the text before a marker names, such as `src/a.ts:12-14`, since an answer often
 * cites fewer lines than were read. If it names several, the last one counts, which is next to the marker. Null: none.
 */
export function findNamedLines(
  precedingText: string,
  { file_path, start_line, end_line }: Pick<Evidence, 'file_path' | 'start_line' | 'end_line'>,
): readonly [start: number, end: number] | null {
  const nameStart = precedingText.lastIndexOf(`${file_path}:`);
  const [, from, to = from] =
    nameStart < 0
      ? []
      : (/^:(\d{1,9})(?:[-–](\d{1,9}))?/.exec(precedingText.slice(nameStart + file_path.length)) ?? []);
  const [start, end] = [Number(from), Number(to)];
  const isInside = start >= start_line && end >= start && end <= end_line;
  return isInside && (start > start_line || end < end_line) ? [start, end] : null;
}

/** Annotates the markers and the claims of an answer with their evidence. `findCitation` also gets the citing text. */
export function toAnnotations(
  text: string,
  claims: readonly Claim[],
  findCitation: (id: string, precedingText: string) => LinkedCitation | null,
): Annotation[] {
  const annotations = new Map<string, Annotation>();
  const addAnnotation = (id: string, start_index: number, end_index: number, precedingText: string): void => {
    const citation = start_index < 0 ? null : findCitation(id, precedingText);
    if (citation === null) return;
    annotations.set(`${start_index} ${id}`, {
      type: 'url_citation',
      url_citation: { start_index, end_index, ...citation },
    });
  };
  let lastEnd = 0;
  for (const { 0: markerText, 1: id, index } of text.matchAll(marker)) {
    const line = text.lastIndexOf('\n', index) + 1;
    addAnnotation(id!, index, index + markerText.length, text.slice(Math.max(line, lastEnd), index));
    lastEnd = index + markerText.length;
  }
  for (const claim of claims) {
    if (isRefused(claim)) continue;
    const claimStart = text.indexOf(claim.text);
    for (const id of claim.evidence)
      addAnnotation(id, claimStart, claimStart + claim.text.length, claim.text);
  }
  return [...annotations.values()].sort((a, b) => a.url_citation.start_index - b.url_citation.start_index);
}
