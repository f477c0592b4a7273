import { z } from 'zod';
import type { Capability, DerivationSource, Tool, ToolCall, ToolResult } from '../core/index.ts';

interface Definition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly capability: Capability | null;
  /** One line: what a call costs in time and size. */
  readonly cost: string;
  /** True: offered to code in the sandbox only, not to a planner. */
  readonly forPrograms?: true;
  run(args: z.output<z.ZodObject<Shape>>, call: ToolCall): ToolResult | Promise<ToolResult>;
}

type ToolKind = { readonly effect: Tool['effect']; readonly derivation: DerivationSource };

/** Unknown arguments are refused, so that no caller believes that they had an effect. */
function define<Shape extends z.ZodRawShape>(
  { input, run, ...rest }: Definition<Shape>,
  kind: ToolKind,
): Tool {
  return Object.freeze({
    ...rest,
    ...kind,
    parameters: z.strictObject(input),
    run: async (args, call) => run(args as z.output<z.ZodObject<Shape>>, call),
  } satisfies Tool);
}

export const readTool = <Shape extends z.ZodRawShape>(definition: Definition<Shape>): Tool =>
  define(definition, { effect: 'read', derivation: 'none' });

/** `derivation`: the sources of the written content; `none` if the tool writes no content. */
export const writeTool = <Shape extends z.ZodRawShape>(
  definition: Definition<Shape>,
  derivation: DerivationSource = 'none',
): Tool => define(definition, { effect: 'write', derivation });
