/** An answer in the form that chat pages read, in one piece or as a stream. */
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

function chunk({ id, created, model }: ChatHead, delta: Delta, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return event({ id, object: 'chat.completion.chunk', created, model, choices });
}

export const streamStart = (head: ChatHead): string => chunk(head, { role: 'assistant', content: '' });

/** Pieces for streaming that do not split words. */
const textPieces = /[\s\S]{1,80}(?:\s|$)|[\s\S]{1,80}/g;

/** Streams an answer that was checked: no word has to be taken back. */
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
 * The lines that a text names within the evidence, such as `src/a.ts:12-14`, since an answer cites less than was read.
 * Null if it names none. The last name counts, since it is next to the marker.
 */
export function findNamedLines(
  precedingText: string,
  { file_path, start_line, end_line }: Pick<Evidence, 'file_path' | 'start_line' | 'end_line'>,
): readonly [start: number, end: number] | null {
  const at = precedingText.lastIndexOf(`${file_path}:`);
  const [, from, to = from] =
    at < 0 ? [] : (/^:(\d{1,9})(?:[-–](\d{1,9}))?/.exec(precedingText.slice(at + file_path.length)) ?? []);
  const [start, end] = [Number(from), Number(to)];
  const isInside = start >= start_line && end >= start && end <= end_line;
  return isInside && (start > start_line || end < end_line) ? [start, end] : null;
}

/** The citations of the answer, and the evidence of its claims. `find` is given the text that cites, too. */
export function toAnnotations(
  text: string,
  claims: readonly Claim[],
  find: (id: string, precedingText: string) => LinkedCitation | null,
): Annotation[] {
  const annotations = new Map<string, Annotation>();
  const cite = (id: string, start_index: number, end_index: number, precedingText: string): void => {
    const citation = start_index < 0 ? null : find(id, precedingText);
    if (citation === null) return;
    annotations.set(`${start_index} ${id}`, {
      type: 'url_citation',
      url_citation: { start_index, end_index, ...citation },
    });
  };
  let lastEnd = 0;
  for (const { 0: markerText, 1: id, index } of text.matchAll(marker)) {
    const line = text.lastIndexOf('\n', index) + 1;
    cite(id!, index, index + markerText.length, text.slice(Math.max(line, lastEnd), index));
    lastEnd = index + markerText.length;
  }
  for (const claim of claims) {
    if (isRefused(claim)) continue;
    const start = text.indexOf(claim.text);
    for (const id of claim.evidence) cite(id, start, start + claim.text.length, claim.text);
  }
  return [...annotations.values()].sort((a, b) => a.url_citation.start_index - b.url_citation.start_index);
}
