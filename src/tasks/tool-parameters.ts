/** What a tool of a dialogue takes, as the schema that models are shown. */
import { z } from 'zod';
import type { DialogueTool } from '../model/index.ts';

/** In the form that models get: optional parameters are not required, and their default is in the text. */
export function toolParameters(input: z.ZodType): DialogueTool['parameters'] {
  const { $schema: _, ...json } = z.toJSONSchema(input, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  // What names no fields takes any.
  return { ...withoutDefaults(json), ...('properties' in json && { additionalProperties: false }) };
}

function withoutDefaults<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withoutDefaults) as Schema;
  if (typeof schema !== 'object' || schema === null) return schema;
  const rest = Object.entries(schema).filter(
    ([key, value]) => key !== 'default' || typeof value === 'object',
  );
  return Object.fromEntries(rest.map(([key, value]) => [key, withoutDefaults(value)])) as Schema;
}
