import { z } from 'zod';
import { messageOf, SondeError } from '../../core/index.ts';
import type { ModelMessage } from '../model.ts';
import { fillPrompt, promptFile } from '../prompt-file.ts';
import { describeFields, type OutputSchema, toOutputSchema } from './json-schema.ts';

const taskPrompt = promptFile(new URL('../prompts/task.md', import.meta.url));

/** A model call with typed input and output. The idea is DSPy's. */
export interface Signature<I, O> {
  /** Lower-case words joined by hyphens; providers see it as the name of the schema. */
  readonly name: string;
  /** The instructions, in Markdown. Long ones are kept in a file: see `promptFile`. */
  readonly instructions: string;
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  readonly examples: readonly Example<I, O>[];
  readonly schema: OutputSchema;
}

export interface Example<I, O> {
  readonly input: I;
  readonly output: O;
}

export interface SignatureFields<I, O> {
  readonly name: string;
  readonly instructions: string;
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  readonly examples?: readonly Example<I, O>[];
}

/** Checks the fields before any model is called. Throws `bad_argument`, which names the signature. */
export function defineSignature<I, O>(fields: SignatureFields<I, O>): Signature<I, O> {
  const { name, examples = [] } = fields;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw new SondeError('bad_argument', {
      message: `"${name}" is not a name for a signature`,
      remedy: 'Use up to 64 lower-case letters, digits and hyphens.',
    });
  for (const [index, example] of examples.entries()) {
    const problem =
      z.safeParse(fields.input, example.input).error ?? z.safeParse(fields.output, example.output).error;
    if (problem)
      throw new SondeError('bad_argument', {
        message: `Example ${index + 1} of signature ${name} does not fit its types: ${messageOf(problem)}`,
        remedy: 'Correct the example or the types.',
      });
  }
  return Object.freeze({ ...fields, examples, schema: toOutputSchema(name, fields.output) });
}

/**
 * Builds the prompt: first the part that is the same for every call, marked for caching, then the input of this call.
 * Throws `bad_argument` if the input does not fit its type.
 */
export function renderSignature<I, O>(signature: Signature<I, O>, input: I): readonly ModelMessage[] {
  const checked = z.safeParse(signature.input, input);
  if (!checked.success)
    throw new SondeError('bad_argument', {
      message: `The input of signature ${signature.name} does not fit its type: ${formatIssues(checked.error).join('; ')}`,
      remedy: 'Correct the input.',
    });
  const system = fillPrompt(taskPrompt, {
    instructions: signature.instructions.trim(),
    inputs: describeFields(z.toJSONSchema(signature.input, { io: 'input', unrepresentable: 'any' })),
    outputs: describeFields(signature.schema.json),
    examples: exampleText(signature),
  });
  return [
    { role: 'system', text: system.trimEnd(), cache: true },
    { role: 'user', text: inputText(input) },
  ];
}

function exampleText<I, O>({ examples, schema }: Signature<I, O>): string {
  if (examples.length === 0) return '';
  const exampleTexts = examples.map(({ input, output }, index) => {
    const answer = JSON.stringify(schema.wrapped ? { value: output } : output);
    return `## Example ${index + 1}\n\n${inputText(input)}\n\nAnswer:\n\n${answer}`;
  });
  return `\n# Examples\n\n${exampleTexts.join('\n\n')}`;
}

/** Wraps each field in an element of its own. If a text contains the closing tag of its element, the tag is escaped. */
function inputText(input: unknown): string {
  const fields =
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? Object.entries(input)
      : [['input', input]];
  return fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
      return `<input name="${name}">\n${text.replace(/<(\/?input\b)/gi, '&lt;$1')}\n</input>`;
    })
    .join('\n\n');
}

/** At most eight issues as `path: message`, for the repair turn and for errors. */
export function formatIssues(error: z.ZodError): readonly string[] {
  return error.issues.slice(0, 8).map((issue) => `${issue.path.join('.') || 'the value'}: ${issue.message}`);
}
