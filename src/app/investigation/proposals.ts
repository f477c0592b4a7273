/** Writes the proposals of an investigation into the workspace, as candidates that cite what the investigation read. */
import { hostname } from 'node:os';
import type { Caller, InvestigationRecord, Masker, ProposedWrite, ToolResult } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { withSecretsRestored } from '../workspace/restoring-tools.ts';
import { openWorkspace } from '../workspace/workspace.ts';

export interface ProposalOutcome {
  readonly id: string;
  readonly outcome: 'applied' | 'held' | 'refused';
  /** Ids of the created or changed content, or why the proposal was refused. */
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
 * Calls the tool of each operation, as a conversation does, with the same checks and masks. Repeating this has no effect,
 * since the idempotency key is the proposal's id. `file`: the workspace that the run read.
 */
export async function writeProposals(
  { result, proposed_writes, sources }: InvestigationRecord,
  file: string,
  mask: Masker = ownMasker(),
): Promise<readonly ProposalOutcome[]> {
  const { capabilitySet, openToolHost, pageTools } = await import('../../tools/index.ts');
  const { world, close } = await openWorkspace(file, { make: false });
  const host = openToolHost({
    tools: withSecretsRestored(pageTools({ world, search: noSearch }), world, mask),
  });
  const call = {
    caller,
    capabilities: capabilitySet('agent'),
    // A write that names a missing source would be refused.
    readTrail: sources.filter((id) => world.read(id, 'all') !== null),
    source: `investigation:${result.run_id}`,
  };
  const outcomes: ProposalOutcome[] = [];
  try {
    // In order: a later proposal may change a page that an earlier one creates.
    for (const { id, op, fields } of proposed_writes) {
      const idempotencyKey = `${result.run_id}/${id}`;
      const toolResult = await host.callTool(op, withoutNull(fields), { ...call, idempotencyKey });
      outcomes.push({ id, ...outcomeOf(toolResult) });
    }
    return outcomes;
  } finally {
    close();
  }
}

function outcomeOf(toolResult: ToolResult): Omit<ProposalOutcome, 'id'> {
  if (!toolResult.ok) return { outcome: 'refused', detail: toolResult.error.message };
  const { applied = false, content_ids = [] } = toolResult.write ?? {};
  return { outcome: applied ? 'applied' : 'held', detail: content_ids.join(', ') };
}

/** Removes fields that are null: Python passes None for absent arguments. */
export function withoutNull(fields: ProposedWrite['fields']): ProposedWrite['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const noSearch = { search: () => Promise.reject(new Error('a write searches nothing')) };

const ownMasker = (): Masker =>
  openMasker(loadConfiguration({ environment: processEnvironment(), flags: {} }));
