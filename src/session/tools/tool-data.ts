/** Calls of tools: repeated if nobody answers; a cut result is read to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError, type ToolError, type ToolResult } from '../../core/index.ts';
import type { ToolClient, ToolRequest } from '../../tools/index.ts';

type Tools = Pick<ToolClient, 'call'>;
export type ToolSuccess = Extract<ToolResult, { ok: true }>;

/**
 * Milliseconds between attempts when nobody answers. A restarting host is back by then; a lost one has ended this
 * process before.
 */
const pauses = [50, 200, 1_000, 2_000, 4_000] as const;

/** A host that let one call wait for so long hangs, and is not waited for again. Milliseconds. */
const hanging = 60_000;

/**
 * For reads, and for writes under a key: repeated if nobody answers, so that the death of a host never becomes a
 * tool's result. Any other failure does.
 */
export async function callUntilAnswered(tools: Tools, request: ToolRequest): Promise<ToolResult> {
  for (const pause of pauses) {
    const began = performance.now();
    const result = await tools.call(request);
    if (result.ok || result.error.details['unanswered'] !== true) return result;
    if (performance.now() - began > hanging) return result;
    await sleep(pause, undefined, request.signal ? { signal: request.signal } : {}).catch(() => {});
  }
  return tools.call(request);
}

/** The data of a result. Throws `tool_failed` if the rest of a cut result no longer exists. */
export async function dataOf<Data>(tools: Tools, { data }: ToolSuccess, signal?: AbortSignal): Promise<Data> {
  if (!isCut(data)) return data as Data;
  let text = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const args = { result_id: data.result_id, part: 'data', offset };
    const piece = await callUntilAnswered(tools, { name: 'read_result', args, ...(signal && { signal }) });
    if (!piece.ok) throw toThrown(piece.error);
    text += piece.text;
    offset = (piece.data as { readonly next_offset: number | null }).next_offset;
  }
  return JSON.parse(text) as Data;
}

function isCut(data: unknown): data is { readonly result_id: string } {
  const { cut, result_id } = (data ?? {}) as { readonly cut?: unknown; readonly result_id?: unknown };
  return cut === true && typeof result_id === 'string';
}

/** For callers that expect failures as exceptions. */
export function toThrown({ code, message, remedy, details }: ToolError): SondeError {
  const as = { cancelled: 'cancelled', validation: 'bad_argument', capability: 'bad_argument' } as const;
  return new SondeError(code in as ? as[code as keyof typeof as] : 'tool_failed', {
    message,
    details,
    ...(remedy !== undefined && { remedy }),
  });
}
