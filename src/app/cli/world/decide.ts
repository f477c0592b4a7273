import { SondeError } from '../../../core/index.ts';
import type { World, WorldOperation } from '../../../world/index.ts';
import { findContentAndRevision, write } from '../../workspace/author.ts';

export type DecisionOperation = Extract<WorldOperation, { op: 'promote' | 'reject' }>;

export type DecisionResult =
  | {
      readonly content: string;
      readonly write_id: string;
      readonly applied: boolean;
      readonly reason?: never;
    }
  | { readonly content: string; readonly applied: false; readonly reason: string };

/** Promotes or rejects each content. A refusal does not stop the others, but is thrown if it is the only one named. */
export async function decideAll(
  world: World,
  op: DecisionOperation['op'],
  names: readonly string[],
): Promise<readonly DecisionResult[]> {
  const results: DecisionResult[] = [];
  for (const name of names) {
    try {
      const operation = { op, ...findContentAndRevision(world, name) };
      const { write_id, applied, content_ids } = await write(world, operation, `sonde world ${op}`);
      results.push({ content: content_ids[0]!, write_id, applied });
    } catch (thrown) {
      if (!(thrown instanceof SondeError) || names.length === 1) throw thrown;
      results.push({ content: name, applied: false, reason: `${thrown.code}: ${thrown.message}` });
    }
  }
  return results;
}
