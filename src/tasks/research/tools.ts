/** The actions of a research as the tools of a dialogue. */
import { z } from 'zod';
import type { DialogueTool } from '../../model/index.ts';
import type { Action } from './actions/action.ts';

export function toolsOf(actions: readonly Action[]): readonly DialogueTool[] {
  return actions.map(({ name, about, input }) => ({
    name,
    description: about,
    parameters: parametersOf(input),
  }));
}

/** As models are shown them: what may be left out is not required, and its default stands in its text. */
function parametersOf(input: Action['input']): DialogueTool['parameters'] {
  const { $schema: _, ...json } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
  return { ...withoutDefaults(json), additionalProperties: false };
}

function withoutDefaults<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withoutDefaults) as Schema;
  if (typeof schema !== 'object' || schema === null) return schema;
  const rest = Object.entries(schema).filter(
    ([key, value]) => key !== 'default' || typeof value === 'object',
  );
  return Object.fromEntries(rest.map(([key, value]) => [key, withoutDefaults(value)])) as Schema;
}
