/** Writes what an investigation proposed into the workspace: as candidates that rest on what it read. */
import { hostname } from 'node:os';
import type { Caller, InvestigationRecord, Masker, ProposedWrite, ToolResult } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { restoringTools } from '../workspace/restoring-tools.ts';
import { openWorkspace } from '../workspace/workspace.ts';

export interface ProposalOutcome {
  readonly id: string;
  readonly outcome: 'applied' | 'held' | 'refused';
  /** Which content was made or changed, or why the proposal was refused. */
  readonly detail: string;
}

const caller: Caller = {
  kind: 'agent',
  name: 'investigation',
  device: hostname(),
  thread: null,
  channel: null,
};

/**
 * Uses the tool with the name of the operation, as a conversation does: with the same checks and masks. Repeating it
 * does nothing. `file`: the workspace that the run read.
 */
export async function crossProposals(
  { result, proposed_writes, sources }: InvestigationRecord,
  file: string,
  mask: Masker = ownMasker(),
): Promise<readonly ProposalOutcome[]> {
  const { capabilitySet, openToolHost, pageTools } = await import('../../tools/index.ts');
  const { world, close } = await openWorkspace(file, { make: false });
  const host = openToolHost({ tools: restoringTools(pageTools({ world, search: unsearched }), world, mask) });
  const call = {
    caller,
    capabilities: capabilitySet('agent'),
    // A write that names a source which is gone would be refused.
    readTrail: sources.filter((id) => world.read(id, 'all') !== null),
    source: `investigation:${result.run_id}`,
  };
  const crossed: ProposalOutcome[] = [];
  try {
    // In order: a later proposal may be about what an earlier one made.
    for (const { id, op, fields } of proposed_writes) {
      const idempotencyKey = `${result.run_id}/${id}`;
      const toolResult = await host.callTool(op, withoutNull(fields), { ...call, idempotencyKey });
      crossed.push({ id, ...outcomeOf(toolResult) });
    }
    return crossed;
  } finally {
    close();
  }
}

function outcomeOf(toolResult: ToolResult): Omit<ProposalOutcome, 'id'> {
  if (!toolResult.ok) return { outcome: 'refused', detail: toolResult.error.message };
  const { applied = false, content_ids = [] } = toolResult.write ?? {};
  return { outcome: applied ? 'applied' : 'held', detail: content_ids.join(', ') };
}

/** Python passes None for what was not given. */
export function withoutNull(fields: ProposedWrite['fields']): ProposedWrite['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const unsearched = { search: () => Promise.reject(new Error('nothing is searched by a write')) };

const ownMasker = (): Masker =>
  openMasker(loadConfiguration({ environment: processEnvironment(), flags: {} }));
