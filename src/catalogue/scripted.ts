import { z } from 'zod';
import { done, type Entry, type EntryContext, type EntryResult, entry } from './entry.ts';

type Step<Ports> =
  | EntryResult
  | ((
      args: Readonly<Record<string, unknown>>,
      context: EntryContext<Ports>,
    ) => EntryResult | Promise<EntryResult>);

export interface ScriptedEntry<Ports> extends Entry<Ports> {
  /** The arguments of every call, in order. */
  readonly calls: readonly Readonly<Record<string, unknown>>[];
}

/** An ability that answers by script: one step for every call, or a list, after whose end it says that there is none. */
export function scriptedEntry<Ports>(
  script: Step<Ports> | readonly Step<Ports>[],
  more: Partial<Entry<Ports>> = {},
): ScriptedEntry<Ports> {
  const calls: Readonly<Record<string, unknown>>[] = [];
  const steps = Array.isArray(script) ? (script as readonly Step<Ports>[]) : null;
  const made = entry<Ports, z.ZodRawShape>({
    name: 'scripted',
    description: 'Answers by script.',
    parameters: z.object({ text: z.string().optional() }),
    capability: 'CodeRead',
    effect: 'read',
    cost: 'nothing',
    needs: [],
    pieces: { tool: 0, action: 0 },
    ...(more as object),
    async run(args, context) {
      const step = steps === null ? (script as Step<Ports>) : steps[calls.length];
      calls.push(args);
      if (step === undefined) return done({ summary: `the script has no call ${calls.length}` });
      return typeof step === 'function' ? step(args, context) : step;
    },
  });
  return { ...made, calls };
}
