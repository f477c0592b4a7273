/**
 * Converts results to the form of MCP and back: the text as content, everything else as structured content. Nothing is
 * lost.
 */
import { type ToolResult, toolErrorCodes, toolFailure } from '../../core/index.ts';

export interface WireResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
}

export function toWire(result: ToolResult): WireResult {
  if (result.ok) {
    const { text, ...rest } = result;
    return { content: [{ type: 'text', text }], structuredContent: rest };
  }
  const { code, message, remedy } = result.error;
  const text = `${code}: ${message}${remedy === undefined ? '' : `\n${remedy}`}`;
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { ok: false, error: result.error },
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Another host may send anything: a reply that does not have the form of a result becomes a failed call. */
export function fromWire(tool: string, received: unknown): ToolResult {
  if (!isRecord(received)) return createMalformedResult(tool);
  const { structuredContent: rest, content } = received;
  if (!isRecord(rest)) return createMalformedResult(tool);
  if (rest['ok'] === false && isRecord(rest['error'])) {
    const { code, message, details } = rest['error'];
    if (!toolErrorCodes.some((known) => known === code) || typeof message !== 'string' || !isRecord(details))
      return createMalformedResult(tool);
    return rest as unknown as ToolResult;
  }
  const [first] = Array.isArray(content) ? content : [];
  if (rest['ok'] !== true || !isRecord(first) || typeof first['text'] !== 'string')
    return createMalformedResult(tool);
  const lists = ['deviation_ids', 'reads', 'origins', 'evidence', 'notes'].every((name) =>
    Array.isArray(rest[name]),
  );
  return lists ? ({ ...rest, text: first['text'] } as unknown as ToolResult) : createMalformedResult(tool);
}

const createMalformedResult = (tool: string): ToolResult =>
  toolFailure('tool', `the host answered ${tool} with something that is not a result of a tool`, {
    remedy: 'Connect to a host of the same version.',
    details: { tool },
  });
