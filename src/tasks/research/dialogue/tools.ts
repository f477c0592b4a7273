/**
 * The actions of a research as the tools of a dialogue. Their descriptions are sent with every turn. Therefore similar
 * actions are joined into one tool, whose argument `look` chooses the action.
 */
import { z } from 'zod';
import type { Call, DialogueTool } from '../../../model/index.ts';
import { toolParameters } from '../../tool-parameters.ts';
import type { Action } from '../actions/action.ts';

interface LookAction {
  readonly action: string;
  /** What the action tells, as a description that follows the name of the look. */
  readonly about: string;
  /** The action's arguments, and the fields of the tool that hold them. */
  readonly takes: Readonly<Record<string, string>>;
}

interface JoinedTool {
  readonly name: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** The fields that every look needs. */
  readonly required: readonly string[];
  readonly looks: Readonly<Record<string, LookAction>>;
}

const joined: readonly JoinedTool[] = [
  {
    name: 'code',
    about: 'What code means, by syntax.',
    fields: {
      name: z.string().describe('Class.method or path#name; a file; globs'),
      to: z.string().describe('Of a path: its end'),
    },
    required: ['name'],
    looks: {
      definition: { action: 'find_definition', about: 'its whole body', takes: { symbol: 'name' } },
      uses: {
        action: 'find_references',
        about: 'who uses it, and whether that is all',
        takes: { symbol: 'name' },
      },
      impact: {
        action: 'find_impact',
        about: 'what changing it can break, and its tests',
        takes: { symbol: 'name' },
      },
      around: {
        action: 'expand_symbol',
        about: 'what it calls, its callers and bases',
        takes: { symbol: 'name' },
      },
      path: {
        action: 'trace_path',
        about: 'calls that lead from it to another',
        takes: { from: 'name', to: 'to' },
      },
      doc: { action: 'hover', about: 'signature and comment', takes: { symbol: 'name' } },
      outline: { action: 'outline', about: 'what a file defines', takes: { file_path: 'name' } },
      tree: { action: 'list_tree', about: 'folders and files', takes: { path: 'name' } },
    },
  },
  {
    name: 'git',
    about: 'When and why something changed.',
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
        about: 'commits that touched path, or whose message holds text',
        takes: { path: 'path', message: 'text' },
      },
      blame: {
        action: 'git_blame',
        about: 'commit and date of each of these lines',
        takes: { file_path: 'path', start_line: 'start_line', end_line: 'end_line' },
      },
      pickaxe: {
        action: 'git_pickaxe',
        about: 'commits that changed how often text occurs',
        takes: { text: 'text', regex: 'regex' },
      },
      show: { action: 'git_show', about: 'what a commit changed', takes: { commit: 'text', path: 'path' } },
    },
  },
];

/** Minimum number of looks of a joined tool: with fewer, its description would be no shorter. */
const minLooks = 2;

export function toolsOf(actions: readonly Action[]): readonly DialogueTool[] {
  const named = new Map(actions.map((action) => [action.name, action]));
  const tools: DialogueTool[] = [];
  const taken = new Set<string>();
  for (const { name, about, input } of actions) {
    if (taken.has(name)) continue;
    const joinedTool = joined.find(({ looks }) => Object.values(looks).some(({ action }) => action === name));
    const looks = Object.entries(joinedTool?.looks ?? {}).filter(([, { action }]) => named.has(action));
    if (joinedTool === undefined || looks.length < minLooks || named.has(joinedTool.name)) {
      tools.push({ name, description: about, parameters: toolParameters(input) });
      continue;
    }
    for (const [, { action }] of looks) taken.add(action);
    const asked = new Set(looks.flatMap(([, { takes }]) => Object.values(takes)));
    const fields = Object.entries(joinedTool.fields)
      .filter(([field]) => asked.has(field))
      .map(([field, type]) => [field, joinedTool.required.includes(field) ? type : type.optional()] as const);
    tools.push({
      name: joinedTool.name,
      description: `${joinedTool.about} ${looks.map(([look, each]) => `${look}: ${each.about}`).join('; ')}.`,
      parameters: toolParameters(
        z.object({ look: z.enum(looks.map(([look]) => look)), ...Object.fromEntries(fields) }),
      ),
    });
  }
  return tools;
}

/** Turns the call of a joined tool into a call of the chosen action. Any other call stays as it is. */
export function actionCall(call: Call, tools: readonly DialogueTool[]): Call {
  const joinedTool = joined.find(({ name }) => name === call.name);
  const look = joinedTool?.looks[String(call.input['look'])];
  // If a tool of the program has the name of a joined tool, the actions are offered one by one.
  if (look === undefined || tools.some(({ name }) => name === look.action)) return call;
  const input = Object.entries(look.takes).flatMap(([argument, field]) => {
    const given = call.input[field];
    return given === undefined || given === '' ? [] : [[argument, given]];
  });
  return { ...call, name: look.action, input: Object.fromEntries(input) };
}

/** Whether a tool of this name is offered, by itself or as a part of another. */
export function isOfferedIn(tools: readonly DialogueTool[], name: string): boolean {
  return tools.some((tool) => {
    if (tool.name === name) return true;
    const joinedTool = joined.find((each) => each.name === tool.name);
    return Object.values(joinedTool?.looks ?? {}).some(({ action }) => action === name);
  });
}
