/** The form of an answer that a caller asked for, as JSON Schema. */
import { z } from 'zod';
import { messageOf, SondeError } from '../../../core/index.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface AnswerForm {
  readonly schema: JsonSchema;
  /** Problems of a value, one line each; empty if it fits. */
  problems(value: unknown): readonly string[];
}

const maxSchemaLength = 8_000;

/** Throws `bad_argument` for a schema that can't be used. */
export function answerForm(schema: JsonSchema): AnswerForm {
  const unusable = (why: string, cause?: unknown) =>
    new SondeError('bad_argument', {
      message: `The schema of the answer can't be used: ${why}`,
      remedy: 'Give a JSON Schema of an answer, such as {"type": "integer"}.',
      cause,
    });
  if (JSON.stringify(schema).length > maxSchemaLength)
    throw unusable(`it is longer than ${maxSchemaLength} characters`);
  let checked: z.ZodType;
  try {
    checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (thrown) {
    throw unusable(messageOf(thrown), thrown);
  }
  return Object.freeze({
    schema,
    problems(value: unknown) {
      const { error } = checked.safeParse(value);
      return (error?.issues ?? [])
        .slice(0, 8)
        .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`);
    },
  });
}
