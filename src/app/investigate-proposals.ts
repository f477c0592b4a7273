/** What an investigation proposed, over the submit boundary: candidates that rest on what was really read. */
import { hostname } from 'node:os';
import type { InvestigationRecord, ProposedWrite } from '../core/index.ts';
import type { World, WorldOperation } from '../world/index.ts';
import { openWorkspace } from './world.ts';

export interface Crossed {
  readonly id: string;
  readonly outcome: 'applied' | 'held' | 'refused';
  /** The content that was made or changed, or why it was refused. */
  readonly detail: string;
}

/** Again, it does nothing again. `file`: the workspace that the run looked at. */
export async function crossProposals(
  { result, proposed_writes, sources }: InvestigationRecord,
  file: string,
): Promise<readonly Crossed[]> {
  const { worldWrite } = await import('../world/index.ts');
  const open = await openWorkspace(file, { make: false });
  const known = sources.filter((id) => open.world.read(id, 'all') !== null);
  const caller = {
    kind: 'agent',
    name: 'investigation',
    device: hostname(),
    thread: null,
    channel: null,
  } as const;
  try {
    return proposed_writes.map((proposal): Crossed => {
      const { id } = proposal;
      const operation = operationOf(proposal, open.world);
      if (typeof operation === 'string') return { id, outcome: 'refused', detail: operation };
      const written = open.world.submit(
        worldWrite({
          operation,
          caller,
          source: `investigation:${result.run_id}`,
          idempotencyKey: `${result.run_id}/${id}`,
          derivedFrom: known,
        }),
      );
      if (written.kind === 'refused') return { id, outcome: 'refused', detail: written.message };
      return { id, outcome: written.applied ? 'applied' : 'held', detail: written.content_ids.join(', ') };
    });
  } finally {
    open.close();
  }
}

/** Pages may be named by their path. A text says why there is no such operation. */
function operationOf({ op, fields }: ProposedWrite, world: World): WorldOperation | string {
  const named = { ...fields };
  for (const name of ['page', 'content', 'block', 'after'] as const) {
    const given = fields[name];
    if (typeof given !== 'string' || given.startsWith('bl-')) continue;
    const block = name === 'page' ? null : world.block(given);
    if (block !== null) named[name] = block.id;
    if (block !== null || name === 'block' || name === 'after') continue;
    const page = world.page(given);
    if (page === null) return `There is no page ${given}`;
    named[name] = page.id;
  }
  // Whatever else it holds is judged by the boundary.
  return { op, ...named } as unknown as WorldOperation;
}
