/** The subagents that a planner can delegate to. Each has its own file and a line here. */
import type { Subgraph } from '../../tasks/index.ts';

export async function listSubgraphs(): Promise<readonly Subgraph[]> {
  const { importAnalyst } = await import('../../tasks/subagent/index.ts');
  return [importAnalyst];
}
