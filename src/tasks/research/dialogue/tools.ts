/**
 * Offers the actions of a research as tools of a dialogue. Since their descriptions are sent with every turn, similar
 * actions are joined into one tool, whose argument `look` chooses the action.
 */
import { z } from 'zod';
import type { Call, DialogueTool } from '../../../model/index.ts';
import { toolParameters } from '../../tool-parameters.ts';
import type { Action } from '../actions/action.ts';

interface LookAction {
  readonly action: string;
  /** What the action returns; shown after the name of the look. */
  readonly description: string;
  /** Maps each argument of the action to the tool's field for it. */
  readonly argumentFields: Readonly<Record<string, string>>;
}

interface JoinedTool {
  readonly name: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** The fields that every look needs. */
  readonly required: readonly string[];
  readonly looks: Readonly<Record<string, LookAction>>;
}

const joinedTools: readonly JoinedTool[] = [
  {
    name: 'code',
    description: 'What code means, by syntax.',
    fields: {
      name: z.string().describe('Class.method or path#name; a file; globs'),
      to: z.string().describe('Of a path: its end'),
    },
    required: ['name'],
    looks: {
      definition: {
        action: 'find_definition',
        description: 'its whole body',
        argumentFields: { symbol: 'name' },
      },
      uses: {
        action: 'find_references',
        description: 'who uses it, and whether that is all',
        argumentFields: { symbol: 'name' },
      },
      impact: {
        action: 'find_impact',
        description: 'what changing it can break, and its tests',
        argumentFields: { symbol: 'name' },
      },
      around: {
        action: 'expand_symbol',
        description: 'what it calls, its callers and bases',
        argumentFields: { symbol: 'name' },
      },
      path: {
        action: 'trace_path',
        description: 'calls that lead from it to another',
        argumentFields: { from: 'name', to: 'to' },
      },
      doc: { action: 'hover', description: 'signature and comment', argumentFields: { symbol: 'name' } },
      outline: {
        action: 'outline',
        description: 'what a file defines',
        argumentFields: { file_path: 'name' },
      },
      tree: { action: 'list_tree', description: 'folders and files', argumentFields: { path: 'name' } },
    },
  },
  {
    name: 'git',
    description: 'When and why something changed.',
    fields: {
      path: z.string().describe('File or folder'),
      text: z.string().describe('As in a message or the code; of show: the commit'),
      start_line: z.number(),
      end_line: z.number(),
      regex: z.boolean(),
    },
    required: [],
    looks: {
      log: {
        action: 'git_log',
        description: 'commits that touched path, or whose message holds text',
        argumentFields: { path: 'path', message: 'text' },
      },
      blame: {
        action: 'git_blame',
        description: 'commit and date of each of these lines',
        argumentFields: { file_path: 'path', start_line: 'start_line', end_line: 'end_line' },
      },
      pickaxe: {
        action: 'git_pickaxe',
        description: 'commits that changed how often text occurs',
        argumentFields: { text: 'text', regex: 'regex' },
      },
      show: {
        action: 'git_show',
        description: 'what a commit changed',
        argumentFields: { commit: 'text', path: 'path' },
      },
    },
  },
];

/** Minimum number of looks of a joined tool. With fewer, joining would not shorten the description. */
const minLooks = 2;

export function toolsOf(actions: readonly Action[]): readonly DialogueTool[] {
  const actionsByName = new Map(actions.map((action) => [action.name, action]));
  const tools: DialogueTool[] = [];
  const joinedNames = new Set<string>();
  for (const { name, description, input } of actions) {
    if (joinedNames.has(name)) continue;
    const joinedTool = joinedTools.find(({ looks }) =>
      Object.values(looks).some(({ action }) => action === name),
    );
    const looks = Object.entries(joinedTool?.looks ?? {}).filter(([, { action }]) =>
      actionsByName.has(action),
    );
    if (joinedTool === undefined || looks.length < minLooks || actionsByName.has(joinedTool.name)) {
      tools.push({ name, description, parameters: toolParameters(input) });
      continue;
    }
    for (const [, { action }] of looks) joinedNames.add(action);
    const usedFields = new Set(looks.flatMap(([, { argumentFields }]) => Object.values(argumentFields)));
    const fields = Object.entries(joinedTool.fields)
      .filter(([field]) => usedFields.has(field))
      .map(([field, type]) => [field, joinedTool.required.includes(field) ? type : type.optional()] as const);
    tools.push({
      name: joinedTool.name,
      description: `${joinedTool.description} ${looks.map(([look, lookAction]) => `${look}: ${lookAction.description}`).join('; ')}.`,
      parameters: toolParameters(
        z.object({ look: z.enum(looks.map(([look]) => look)), ...Object.fromEntries(fields) }),
      ),
    });
  }
  return tools;
}

/** Turns a call of a joined tool into a call of the chosen action. Other calls are returned unchanged. */
export function actionCall(call: Call, tools: readonly DialogueTool[]): Call {
  const joinedTool = joinedTools.find(({ name }) => name === call.name);
  const look = joinedTool?.looks[String(call.input['look'])];
  // If a tool of the program has the name of a joined tool, that tool's actions are offered one by one.
  if (look === undefined || tools.some(({ name }) => name === look.action)) return call;
  const input = Object.entries(look.argumentFields).flatMap(([argument, field]) => {
    const value = call.input[field];
    return value === undefined || value === '' ? [] : [[argument, value]];
  });
  return { ...call, name: look.action, input: Object.fromEntries(input) };
}

/** Whether a tool of this name is offered, by itself or as a part of another. */
export function isOfferedIn(tools: readonly DialogueTool[], name: string): boolean {
  return tools.some((tool) => {
    if (tool.name === name) return true;
    const joinedTool = joinedTools.find((candidate) => candidate.name === tool.name);
    return Object.values(joinedTool?.looks ?? {}).some(({ action }) => action === name);
  });
}
