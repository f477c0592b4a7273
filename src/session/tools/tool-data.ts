/** Calls tools again if nobody answers, and reads cut results to their end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError, type ToolError, type ToolResult } from '../../core/index.ts';
import type { ToolClient, ToolRequest } from '../../tools/index.ts';

type Tools = Pick<ToolClient, 'call'>;
export type ToolSuccess = Extract<ToolResult, { ok: true }>;

/** Milliseconds between attempts when nobody answers. A host that restarts is back by the last attempt. */
const pausesMs = [50, 200, 1_000, 2_000, 4_000] as const;

/** If a call takes this long, the host hangs, and the call is not retried. Milliseconds. */
const hangingMs = 60_000;

/**
 * Retries the call if nobody answers, so that a crash of the host does not become the tool's result. Any other failure
 * is returned as the result. Only for reads, and for writes with an idempotency key.
 */
export async function callUntilAnswered(tools: Tools, request: ToolRequest): Promise<ToolResult> {
  for (const pauseMs of pausesMs) {
    const startedAt = performance.now();
    const result = await tools.call(request);
    if (result.ok || result.error.details['unanswered'] !== true) return result;
    if (performance.now() - startedAt > hangingMs) return result;
    await sleep(pauseMs, undefined, request.signal ? { signal: request.signal } : {}).catch(() => {});
  }
  return tools.call(request);
}

/** The data of a result. Throws `tool_failed` if the rest of a cut result no longer exists. */
export async function readData<Data>(
  tools: Tools,
  { data }: ToolSuccess,
  signal?: AbortSignal,
): Promise<Data> {
  if (!isCut(data)) return data as Data;
  let text = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const args = { result_id: data.result_id, part: 'data', offset };
    const piece = await callUntilAnswered(tools, { name: 'read_result', args, ...(signal && { signal }) });
    if (!piece.ok) throw toError(piece.error);
    text += piece.text;
    offset = (piece.data as { readonly next_offset: number | null }).next_offset;
  }
  return JSON.parse(text) as Data;
}

function isCut(data: unknown): data is { readonly result_id: string } {
  const { cut, result_id } = (data ?? {}) as { readonly cut?: unknown; readonly result_id?: unknown };
  return cut === true && typeof result_id === 'string';
}

/** The exception for a failed call. */
export function toError({ code, message, remedy, details }: ToolError): SondeError {
  const errorCodes = {
    cancelled: 'cancelled',
    validation: 'bad_argument',
    capability: 'bad_argument',
  } as const;
  return new SondeError(code in errorCodes ? errorCodes[code as keyof typeof errorCodes] : 'tool_failed', {
    message,
    details,
    ...(remedy !== undefined && { remedy }),
  });
}
