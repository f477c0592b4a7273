/** Converts the input schema of a dialogue tool to the JSON Schema that models are shown. */
import { z } from 'zod';
import type { DialogueTool } from '../model/index.ts';

/** Optional parameters are not required; their default is only in the description, not in the schema. */
export function toolParameters(input: z.ZodType): DialogueTool['parameters'] {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(input, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  // A schema that names no fields accepts any field.
  return {
    ...withoutDefaults(jsonSchema),
    ...('properties' in jsonSchema && { additionalProperties: false }),
  };
}

/** Removes each `default`, but not a parameter with that name, whose value is an object. */
function withoutDefaults<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withoutDefaults) as Schema;
  if (typeof schema !== 'object' || schema === null) return schema;
  const keptEntries = Object.entries(schema).filter(
    ([key, value]) => key !== 'default' || typeof value === 'object',
  );
  return Object.fromEntries(keptEntries.map(([key, value]) => [key, withoutDefaults(value)])) as Schema;
}
