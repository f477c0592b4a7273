/** Tools of the session itself, in addition to the host's. */
import type { DialogueTool } from '../../model/index.ts';
import type { ToolListing } from '../../tools/index.ts';
import type { Dispatcher } from '../dispatcher.ts';
import { formatParams } from './params-text.ts';

export const ownTools = {
  ask_user: 'ask_user',
  task: 'task',
  compact_history: 'compact_history',
} as const;

/** These tools change the conversation or wait for the person, so each call runs alone. */
export const exclusiveTools: ReadonlySet<string> = new Set([ownTools.ask_user, ownTools.compact_history]);

const askTool: DialogueTool = {
  name: ownTools.ask_user,
  description: 'Asks the person one question, and waits for the answer.',
  parameters: objectSchema({ question: { type: 'string' } }, ['question']),
};

const compactTool: DialogueTool = {
  name: ownTools.compact_history,
  description: 'Puts a summary in place of all but the last turns, where the conversation is long.',
  parameters: objectSchema({ keep_turns: { type: 'integer' } }, []),
};

/** All tools of a planner. They are the same in each step of a conversation, so that providers can cache them. */
export function plannerTools(
  listed: readonly ToolListing[],
  dispatcher: Dispatcher | undefined,
): readonly DialogueTool[] {
  return [
    ...listed.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: withoutDialect(parameters),
    })),
    askTool,
    compactTool,
    ...(dispatcher === undefined ? [] : [taskTool(dispatcher, collectDescriptions(listed))]),
  ];
}

/** The descriptions in the list of tools, which the text of `task` does not repeat. */
function collectDescriptions(listed: readonly ToolListing[]): Set<string> {
  const parameters = listed.flatMap((tool) => Object.values((tool.parameters['properties'] ?? {}) as object));
  return new Set(parameters.flatMap(({ description }) => (description === undefined ? [] : [description])));
}

function taskTool({ shapes }: Dispatcher, printedTexts: Set<string>): DialogueTool {
  const lines = shapes.map(
    ({ key, description, params }) =>
      `- ${key}: ${description} params: ${formatParams(params, printedTexts)}`,
  );
  return {
    name: ownTools.task,
    description: ['Hands on work of one of these shapes, and waits for it.', ...lines].join('\n'),
    parameters: objectSchema({ shape: { enum: shapes.map(({ key }) => key) }, params: { type: 'object' } }, [
      'shape',
      'params',
    ]),
  };
}

function objectSchema(properties: Readonly<Record<string, object>>, required: readonly string[]) {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** A schema names its dialect, which no model needs. */
function withoutDialect(schema: unknown): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = schema as Readonly<Record<string, unknown>>;
  return rest;
}
