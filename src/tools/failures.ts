/** Turns every failure around a handler into a result. */
import type { z } from 'zod';
import {
  type Capability,
  type ErrorCode,
  maskSecrets,
  messageOf,
  SondeError,
  type Tool,
  type ToolErrorCode,
  type ToolResult,
  toolFailure,
} from '../core/index.ts';

/** Errors of the caller, reported as `validation`. */
const callerErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bad_argument',
  'bad_pattern',
  'not_found',
  'not_text',
  'outside_root',
  'span_out_of_range',
]);

function toToolErrorCode({ code }: SondeError): ToolErrorCode {
  if (code === 'cancelled') return 'cancelled';
  return callerErrors.has(code) ? 'validation' : 'tool';
}

const toOneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').slice(0, 500);

/**
 * Converts an exception of a handler into a failure. `redact` removes the secrets that the host knows; texts in the
 * form of other secrets are masked here.
 */
export function toFailure(tool: string, thrown: unknown, redact: (text: string) => string): ToolResult {
  const clean = (text: string) => toOneLine(maskSecrets(redact(text)));
  if (thrown instanceof SondeError)
    return toolFailure(toToolErrorCode(thrown), `${tool}: ${clean(thrown.message)}`, {
      ...(thrown.remedy !== undefined && { remedy: clean(thrown.remedy) }),
      details: { tool, error: thrown.code },
    });
  return toolFailure('tool', `${tool} failed: ${clean(messageOf(thrown))}`, { details: { tool } });
}

export function createUnknownToolResult(name: string): ToolResult {
  const shown = name.slice(0, 80);
  return toolFailure('validation', `there is no tool named ${JSON.stringify(shown)}`, {
    remedy: 'Call list_tools for the names.',
    details: { reason: 'unknown_tool', tool: shown },
  });
}

export function createBadArgumentsResult(tool: Tool, error: z.ZodError): ToolResult {
  const problems = error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    problem: toOneLine(message),
  }));
  const [first] = problems;
  const where = first === undefined || first.field === '' ? '' : `${first.field}: `;
  return toolFailure('validation', `${tool.name}: ${where}${first?.problem ?? 'the arguments do not fit'}`, {
    remedy: 'Correct the arguments; nothing was done.',
    details: { reason: 'arguments', tool: tool.name, problems: problems.slice(0, 10) },
  });
}

/** `capability`: the capability that the caller lacks. No deviation is recorded for a denied call. */
export function createDeniedResult(tool: string, capability: Capability | 'author'): ToolResult {
  const reason =
    capability === 'author'
      ? 'is an act of the author in person, and this caller is not'
      : `needs the capability ${capability}, which this caller does not have`;
  return toolFailure('capability', `${tool} ${reason}`, {
    remedy:
      capability === 'author' ? 'Ask the author to do it.' : 'Ask the owner to grant it, or do without.',
    details: { tool, capability },
  });
}

export const createCancelledResult = (tool: string): ToolResult =>
  toolFailure('cancelled', `${tool} was cancelled`, { details: { tool } });
