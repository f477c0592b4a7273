/** Makes a function for sandboxed Python code from an entry of the catalogue. */
import { z } from 'zod';
import type { CodeContext, CodePorts, Entry, EntryDone } from '../../../catalogue/index.ts';
import { SondeError } from '../../../core/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import { collect, evidenceLines } from '../../research/material/collect.ts';
import {
  type Arguments,
  type Helper,
  type HelperCall,
  type HelperReply,
  refuse,
  textArgument,
  wholeArgument,
} from './helper.ts';
import { fromPort } from './ports.ts';

/** How the Python function differs from the catalogue entry: its arguments, value, summary or error. */
export interface HelperForm {
  /**
   * Changes the arguments before they are checked, e.g. to the limits of the run. Arguments that are None in Python are
   * absent.
   */
  args?(args: Arguments, call: HelperCall): Arguments;
  value?(done: EntryDone): unknown;
  summary?(done: EntryDone, args: Arguments): string;
  /** The error if a port that the entry needs is missing. */
  readonly absent?: { readonly message: string; readonly remedy: string };
}

/** `asking` is the subject of the error message if the port fails, such as `the search`. */
export function helperOf(entry: Entry<CodeContext>, asking: string, form: HelperForm = {}): Helper {
  const { properties = {}, required = [] } = z.toJSONSchema(entry.parameters, { io: 'input' });
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, schema as z.core.JSONSchema.BaseSchema, required.includes(name)] as const,
  );
  return async (givenArguments, call): Promise<HelperReply> => {
    const { runContext, place, signal } = call;
    const {
      absent = { message: `${entry.name} is not there for this material`, remedy: '' },
      ...helperForm
    } = form;
    const ports: CodePorts = runContext.material;
    if (!(entry.needs ?? []).every((port) => ports[port] !== undefined))
      throw new SondeError('not_found', absent);
    const args = parseArguments(
      entry,
      helperForm.args?.(pythonArguments(fields, givenArguments), call) ??
        pythonArguments(fields, givenArguments),
    );
    const context: CodeContext = {
      ports,
      scope: place.scope,
      // No evidence is made here; `cite` reads cited lines separately.
      pieces: 0,
      pieceLines: evidenceLines,
      held: [],
      signal,
      path: (path) => path,
      collect: (finds) => collect(runContext.material.text, place.scope, finds),
    };
    const output = await fromPort(asking, async () => entry.run(args, context));
    if (output.kind === 'failed') return refuse(output.message, output.remedy);
    const { spans, evidence } = output;
    return {
      value: (helperForm.value?.(output) ?? output.data) as Value,
      ...(spans.length + evidence.length > 0 && { gains: { reads: spans, evidence } }),
      summary: helperForm.summary?.(output, args) ?? output.summary,
    };
  };
}

/** The arguments from Python, without None. Throws `bad_argument` with a message for authors of Python code. */
function pythonArguments(
  fields: readonly (readonly [string, z.core.JSONSchema.BaseSchema, boolean])[],
  givenArguments: Arguments,
): Arguments {
  const args = fields.map(([name, schema, isRequired]) => {
    const value = givenArguments[name] ?? null;
    const { type, maximum = Number.MAX_SAFE_INTEGER, minimum = 0, maxLength = Infinity } = schema;
    if (type === 'string') {
      if (isRequired) return [name, textArgument(givenArguments, name, maxLength)] as const;
      if (value !== null && typeof value !== 'string')
        refuse(`${name} must be a text${name === 'scope' ? ', such as "src/**,!src/vendor"' : ''}`);
    }
    if (type === 'integer' && value !== null)
      return [name, wholeArgument(givenArguments, name, minimum, maximum)] as const;
    if (type === 'boolean') return [name, value === true] as const;
    if (isRequired && value === null) refuse(`${name} is missing`);
    return [name, value] as const;
  });
  return Object.fromEntries(args.filter(([, value]) => value !== null));
}

function parseArguments({ parameters }: Entry<CodeContext>, args: Arguments): Arguments {
  const parsed = parameters.safeParse(args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return refuse(`${issue?.path.join('.') || 'the arguments'}: ${issue?.message ?? 'do not fit'}`);
}
