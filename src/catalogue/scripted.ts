import { z } from 'zod';
import { type AnyContext, done, type Entry, type EntryResult, entry } from './entry.ts';

type Step<Context> =
  | EntryResult
  | ((args: Readonly<Record<string, unknown>>, context: Context) => EntryResult | Promise<EntryResult>);

export interface ScriptedEntry<Context extends AnyContext> extends Entry<Context> {
  /** The arguments of every call, in order. */
  readonly calls: readonly Readonly<Record<string, unknown>>[];
}

/**
 * A fake entry: returns the same result for every call, or the results of a list in order, and after the last one a
 * result that says so. `overrides`: replaces properties of the entry.
 */
export function createScriptedEntry<Context extends AnyContext>(
  script: Step<Context> | readonly Step<Context>[],
  overrides: Partial<Entry<Context>> = {},
): ScriptedEntry<Context> {
  const calls: Readonly<Record<string, unknown>>[] = [];
  const steps = Array.isArray(script) ? (script as readonly Step<Context>[]) : null;
  const made = entry<Context, z.ZodRawShape>({
    name: 'scripted',
    description: 'Answers by script.',
    parameters: z.object({ text: z.string().optional() }),
    capability: 'CodeRead',
    effect: 'read',
    cost: 'nothing',
    needs: [],
    pieces: { tool: 0, action: 0 },
    ...(overrides as object),
    async run(args, context) {
      const step = steps === null ? (script as Step<Context>) : steps[calls.length];
      calls.push(args);
      if (step === undefined) return done({ summary: `the script has no call ${calls.length}` });
      return typeof step === 'function' ? step(args, context) : step;
    },
  });
  return { ...made, calls };
}
