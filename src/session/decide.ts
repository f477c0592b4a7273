/** What the planner is asked at every step. */
import { z } from 'zod';
import { fillPrompt, promptFile, type Signature, signature } from '../model/index.ts';
import { firewall } from './boundary.ts';

const input = z.object({
  role: z.string().optional().describe('How to speak, and what to mind, in this turn'),
  tools: z
    .string()
    .describe('What can be called, a line each: name, what it does, JSON Schema of the arguments'),
  budget: z.string().describe('What is left'),
  conversation: z.string().describe('The conversation so far'),
});

const call = z.object({
  name: z.string().describe('Of one of the tools'),
  args: z.string().describe('The arguments: a JSON object, as text'),
});

const output = z.preprocess(
  (value) => withTextArgs(value),
  z.object({
    text: z.string().describe('The answer; with calls, a line on why, or nothing'),
    calls: z.array(call).max(16).describe('Tools to call; empty when this is the answer'),
  }),
);

export type Decision = z.infer<typeof output>;

export const decide: Signature<z.infer<typeof input>, Decision> = signature({
  name: 'decide',
  instructions: fillPrompt(promptFile(new URL('./planner.md', import.meta.url)), { firewall }),
  input,
  output: output as unknown as z.ZodType<Decision>,
});

/** Models that are not held to a schema write the arguments as an object, and leave out what is empty. */
function withTextArgs(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { text = '', calls = [] } = value as { text?: unknown; calls?: unknown };
  const written = Array.isArray(calls)
    ? calls.map((each: unknown) => {
        if (typeof each !== 'object' || each === null || !('args' in each)) return each;
        return typeof each.args === 'string' ? each : { ...each, args: JSON.stringify(each.args ?? {}) };
      })
    : calls;
  return { text: text ?? '', calls: written ?? [] };
}
