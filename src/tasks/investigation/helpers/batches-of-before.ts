/** Version 0.1 sent long lists of questions to the host in pieces of 16, each recorded as a call of its own. */
import type { Arguments } from './helper.ts';

const promptsPerCall = 16;

/** The calls of version 0.1 for one call of today. */
export function callsBefore(name: string, args: Arguments): readonly Arguments[] {
  const { prompts, materials } = args;
  if (name !== 'llm_query' || !Array.isArray(prompts) || !Array.isArray(materials)) return [args];
  if (prompts.length <= promptsPerCall) return [args];
  return Array.from({ length: Math.ceil(prompts.length / promptsPerCall) }, (_, n) => {
    const part = (all: readonly unknown[]) => all.slice(n * promptsPerCall, (n + 1) * promptsPerCall);
    return { ...args, prompts: part(prompts), materials: part(materials) };
  });
}
