/** The subagents that a planner can delegate to, by name. Each has a file of its own and a line here. */
import type { Subgraph } from '../../tasks/index.ts';

export async function listSubgraphs(): Promise<readonly Subgraph[]> {
  const { importAnalyst } = await import('../../tasks/subagent/index.ts');
  return [importAnalyst];
}
