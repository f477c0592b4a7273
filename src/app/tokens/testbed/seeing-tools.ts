/** Two tools that keep how they were called: one shows content, one writes. */
import { z } from 'zod';
import { type Tool, type ToolCall, toolReply } from '../../../core/index.ts';

export function createRecordingTools(): {
  readonly tools: readonly Tool[];
  readonly calls: readonly ToolCall[];
} {
  const calls: ToolCall[] = [];
  const common = { description: 'For tests.', derivation: 'none', cost: 'nothing' } as const;
  const show: Tool = {
    ...common,
    name: 'show',
    parameters: z.object({ id: z.string() }),
    capability: 'PagesRead',
    effect: 'read',
    async run(args, call) {
      calls.push(call);
      return toolReply('noise', null, { reads: [(args as { readonly id: string }).id] });
    },
  };
  const note: Tool = {
    ...common,
    name: 'note',
    parameters: z.object({}),
    capability: 'PagesWrite',
    effect: 'write',
    async run(_args, call) {
      calls.push(call);
      return toolReply('noise', null);
    },
  };
  return { tools: [show, note], calls };
}
