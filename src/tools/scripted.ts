import { type ToolResult, toolReply } from '../core/index.ts';
import type { ToolClient, ToolRequest } from './client.ts';
import type { ToolListing } from './tools.ts';

type Step = ToolResult | ((request: ToolRequest) => ToolResult | Promise<ToolResult>);

/** By the name of the tool: one step for every call, or a list of steps. */
export type ToolScript = Readonly<Record<string, Step | readonly Step[]>>;

export interface ScriptedTools extends ToolClient {
  /** Every call, in order. */
  readonly calls: readonly ToolRequest[];
}

const isList = (steps: Step | readonly Step[]): steps is readonly Step[] => Array.isArray(steps);

/**
 * Tools that answer by script. A call of a tool that is not in the script, or whose list has run out, gets a text that
 * says so.
 */
export function scriptedTools(script: ToolScript = {}): ScriptedTools {
  const calls: ToolRequest[] = [];
  const used = new Map<string, number>();
  return {
    calls,
    async list() {
      return Object.keys(script).map(
        (name): ToolListing => ({
          name,
          description: `The scripted tool ${name}.`,
          parameters: { type: 'object' },
          capability: null,
          effect: 'read',
          derivation: 'none',
          cost: 'nothing',
        }),
      );
    },
    async call(request) {
      calls.push(request);
      const steps = script[request.name];
      const nth = used.get(request.name) ?? 0;
      used.set(request.name, nth + 1);
      const step = steps === undefined || !isList(steps) ? steps : steps[nth];
      if (step === undefined)
        return toolReply(`(the script has no call ${nth + 1} of ${request.name})`, null);
      return typeof step === 'function' ? step(request) : step;
    },
    close: async () => {},
  };
}
