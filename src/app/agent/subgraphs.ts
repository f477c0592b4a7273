/** The subagents that a planner may hand work to by their names: each is its own file, and a line here. */
import type { Subgraph } from '../../tasks/index.ts';

export async function listSubgraphs(): Promise<readonly Subgraph[]> {
  const { importAnalyst } = await import('../../tasks/subagent/index.ts');
  return [importAnalyst];
}
