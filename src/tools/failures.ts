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

/** Errors that a caller could have avoided. */
const callersFault: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bad_argument',
  'bad_pattern',
  'not_found',
  'not_text',
  'outside_root',
  'span_out_of_range',
]);

function codeOf({ code }: SondeError): ToolErrorCode {
  if (code === 'cancelled') return 'cancelled';
  return callersFault.has(code) ? 'validation' : 'tool';
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').slice(0, 500);

/**
 * Converts an exception of a handler into a failure. `redact` removes the secrets that the host knows; texts in the
 * form of other secrets are masked here.
 */
export function toFailure(tool: string, thrown: unknown, redact: (text: string) => string): ToolResult {
  const clean = (text: string) => oneLine(maskSecrets(redact(text)));
  if (thrown instanceof SondeError)
    return toolFailure(codeOf(thrown), `${tool}: ${clean(thrown.message)}`, {
      ...(thrown.remedy !== undefined && { remedy: clean(thrown.remedy) }),
      details: { tool, error: thrown.code },
    });
  return toolFailure('tool', `${tool} failed: ${clean(messageOf(thrown))}`, { details: { tool } });
}

export function unknownTool(name: string): ToolResult {
  const shown = name.slice(0, 80);
  return toolFailure('validation', `there is no tool named ${JSON.stringify(shown)}`, {
    remedy: 'Call list_tools for the names.',
    details: { reason: 'unknown_tool', tool: shown },
  });
}

export function badArguments(tool: Tool, error: z.ZodError): ToolResult {
  const problems = error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    problem: oneLine(message),
  }));
  const [first] = problems;
  const where = first === undefined || first.field === '' ? '' : `${first.field}: `;
  return toolFailure('validation', `${tool.name}: ${where}${first?.problem ?? 'the arguments do not fit'}`, {
    remedy: 'Correct the arguments; nothing was done.',
    details: { reason: 'arguments', tool: tool.name, problems: problems.slice(0, 10) },
  });
}

/** `capability`: the one that the caller lacks. A denied call makes no deviation. */
export function deniedResult(tool: string, capability: Capability | 'author'): ToolResult {
  const what =
    capability === 'author'
      ? 'is an act of the author in person, and this caller is not'
      : `needs the capability ${capability}, which this caller does not have`;
  return toolFailure('capability', `${tool} ${what}`, {
    remedy:
      capability === 'author' ? 'Ask the author to do it.' : 'Ask the owner to grant it, or do without.',
    details: { tool, capability },
  });
}

export const cancelledResult = (tool: string): ToolResult =>
  toolFailure('cancelled', `${tool} was cancelled`, { details: { tool } });
