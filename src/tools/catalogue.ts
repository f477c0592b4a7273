import { z } from 'zod';
import { SondeError, type Tool } from '../core/index.ts';
import type { ToolListing } from './tools.ts';

/** Names that no tool may have: only the agent itself dispatches work. */
const reservedName = /^(task|tasks|register)(_|$)/;
const toolName = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** Indexes the tools by name. Throws `bad_argument` for a name that is malformed, taken, or reserved. */
export function createCatalogue(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const known = new Map<string, Tool>();
  for (const tool of tools) {
    const problem = known.has(tool.name)
      ? 'is there twice'
      : reservedName.test(tool.name)
        ? 'may not be offered: work is dispatched by the agent alone'
        : !toolName.test(tool.name)
          ? 'is not in lower case with underscores'
          : null;
    if (problem !== null)
      throw new SondeError('bad_argument', {
        message: `the tool ${JSON.stringify(tool.name)} ${problem}`,
        remedy: 'Register each tool once, under a name of its own.',
      });
    known.set(tool.name, tool);
  }
  return known;
}

/** Limits that a listing leaves out, since they would fill every context. The error for wrong arguments names them. */
const omittedLimits = ['minLength', 'maxLength', 'minItems', 'maxItems', 'propertyNames'] as const;

/** The JSON Schema of the parameters, without its dialect and without limits that only the host checks. */
function parametersOf(tool: Tool): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.parameters, {
    io: 'input',
    override({ jsonSchema }) {
      for (const name of omittedLimits) delete jsonSchema[name];
      // The maximum that Zod gives to every integer; nobody has set it.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.additionalProperties;
      delete jsonSchema['forPrograms'];
    },
  });
  return Object.freeze(schema);
}

/** True if the whole tool is for programs only; otherwise the names of the parameters that are. */
function findForPrograms(tool: Tool): ToolListing['forPrograms'] {
  if (tool.forPrograms === true) return true;
  const { properties = {} } = z.toJSONSchema(tool.parameters, { io: 'input' });
  const marked = Object.entries(properties).filter(
    ([, schema]) => typeof schema === 'object' && schema['forPrograms'] === true,
  );
  return marked.length === 0 ? undefined : marked.map(([name]) => name);
}

export function toListing(tool: Tool): ToolListing {
  const { name, description, capability, effect, derivation, cost, authorOnly } = tool;
  const hidden = findForPrograms(tool);
  return Object.freeze({
    name,
    description,
    parameters: parametersOf(tool),
    capability,
    effect,
    derivation,
    cost,
    ...(authorOnly && { authorOnly }),
    ...(hidden !== undefined && { forPrograms: hidden }),
  });
}
