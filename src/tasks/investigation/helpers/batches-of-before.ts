/**
 * For replays of version 0.1, which sent long lists of prompts to the host in batches of 16, each recorded as one call.
 */
import type { Arguments } from './helper.ts';

const promptsPerCall = 16;

/** The calls that version 0.1 recorded for one present call. */
export function callsBefore(name: string, args: Arguments): readonly Arguments[] {
  const { prompts, materials } = args;
  if (name !== 'llm_query' || !Array.isArray(prompts) || !Array.isArray(materials)) return [args];
  if (prompts.length <= promptsPerCall) return [args];
  return Array.from({ length: Math.ceil(prompts.length / promptsPerCall) }, (_, n) => {
    const sliceOf = (items: readonly unknown[]) => items.slice(n * promptsPerCall, (n + 1) * promptsPerCall);
    return { ...args, prompts: sliceOf(prompts), materials: sliceOf(materials) };
  });
}
