import type { Evidence, ToolResult } from '../core/index.ts';
import type { KeptResults, ResultPart } from './kept-results.ts';
import { resultBytes } from './tools.ts';

type ToolSuccess = Extract<ToolResult, { ok: true }>;

const kib = 1024;
/** Room for the notice and for the small fields of a result. */
const reservedBytes = 2 * kib;

/** The longest part of a text from `from` on that has at most `bytes` bytes. It never ends within a character. */
export function takeBytes(
  text: string,
  from: number,
  bytes: number,
): { readonly text: string; readonly end: number } {
  const rest = text.slice(from);
  const { read } = new TextEncoder().encodeInto(rest, new Uint8Array(bytes));
  return { text: rest.slice(0, read), end: from + read };
}

function fitEvidence(evidence: readonly Evidence[], bytes: number): readonly Evidence[] {
  let left = bytes;
  const fitting: Evidence[] = [];
  for (const item of evidence) {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1;
    if (left < 0) break;
    fitting.push(item);
  }
  return fitting;
}

/**
 * Cuts a result to a size that fits a context. Its data are converted to JSON and back, so that callers in this process
 * and in others get the same. `keep` stores the whole result and returns its id.
 */
export function cutResult(
  result: ToolResult,
  keep: (parts: Parameters<KeptResults['keep']>[0]) => string | null,
): ToolResult {
  if (!result.ok) return result;
  const data = JSON.stringify(result.data) ?? 'null';
  const evidence = JSON.stringify(result.evidence);
  const sizes = [result.text, data, evidence].map((part) => Buffer.byteLength(part));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= resultBytes) return Object.freeze({ ...result, data: JSON.parse(data) as unknown });
  return cut(result, { data, evidence }, bytes, keep({ text: result.text, data, evidence }));
}

function cut(
  result: ToolSuccess,
  json: Readonly<Record<Exclude<ResultPart, 'text'>, string>>,
  bytes: number,
  id: string | null,
): ToolResult {
  let left = resultBytes - reservedBytes;
  const keepsData = Buffer.byteLength(json.data) <= left / 4;
  const data: unknown = keepsData
    ? JSON.parse(json.data)
    : { cut: true, result_id: id, bytes: Buffer.byteLength(json.data) };
  if (keepsData) left -= Buffer.byteLength(json.data);
  const evidence = fitEvidence(result.evidence, left / 2);
  left -= Buffer.byteLength(JSON.stringify(evidence));
  const shown = takeBytes(result.text, 0, left);
  const lost = [
    ...(shown.end < result.text.length ? [`text: ${shown.end} of ${result.text.length} characters`] : []),
    ...(keepsData ? [] : ['data: left out']),
    ...(evidence.length < result.evidence.length
      ? [`evidence: ${evidence.length} of ${result.evidence.length}`]
      : []),
  ];
  const rest =
    id === null
      ? 'the rest was not kept: ask for less'
      : `the rest: read_result with result_id ${id}${shown.end < result.text.length ? `, offset ${shown.end}` : ''}`;
  const notice = `Cut: ${bytes} bytes are more than ${resultBytes} (${lost.join('; ')}); ${rest}.`;
  return Object.freeze({
    ...result,
    text: shown.end < result.text.length ? `${shown.text}\n[${notice}]` : result.text,
    data,
    evidence,
    // Data and evidence repeat what the text says, so a result with its whole text is not partial.
    completeness: shown.end < result.text.length || result.text === '' ? 'partial' : result.completeness,
    notes: [...result.notes, notice],
  });
}
