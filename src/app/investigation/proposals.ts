/** Writes an investigation's proposed writes into the workspace, as candidates that cite what the investigation read. */
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
 * Calls the tool of each operation with the same checks and masks as in a conversation. Repeating it has no effect, since
 * each idempotency key is made of the run's and the proposal's id. `file`: the workspace that the run read.
 */
export async function writeProposals(
  { result, proposed_writes, sources }: InvestigationRecord,
  file: string,
  mask: Masker = openDefaultMasker(),
): Promise<readonly ProposalOutcome[]> {
  const { capabilitySet, openToolHost, pageTools } = await import('../../tools/index.ts');
  const { world, close } = await openWorkspace(file, { make: false });
  const host = openToolHost({
    tools: withSecretsRestored(pageTools({ world, search: rejectSearch }), world, mask),
  });
  const callOptions = {
    caller,
    capabilities: capabilitySet('agent'),
    // Sources that no longer exist are left out, since a write that names one is refused.
    readTrail: sources.filter((id) => world.read(id, 'all') !== null),
    source: `investigation:${result.run_id}`,
  };
  const outcomes: ProposalOutcome[] = [];
  try {
    // One after another: a later proposal may change a page that an earlier one creates.
    for (const { id, op, fields } of proposed_writes) {
      const idempotencyKey = `${result.run_id}/${id}`;
      const toolResult = await host.callTool(op, dropNullFields(fields), { ...callOptions, idempotencyKey });
      outcomes.push({ id, ...toOutcome(toolResult) });
    }
    return outcomes;
  } finally {
    close();
  }
}

function toOutcome(toolResult: ToolResult): Omit<ProposalOutcome, 'id'> {
  if (!toolResult.ok) return { outcome: 'refused', detail: toolResult.error.message };
  const { applied = false, content_ids = [] } = toolResult.write ?? {};
  return { outcome: applied ? 'applied' : 'held', detail: content_ids.join(', ') };
}

/** Removes fields that are null: Python passes None for absent arguments. */
export function dropNullFields(fields: ProposedWrite['fields']): ProposedWrite['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const rejectSearch = { search: () => Promise.reject(new Error('a write searches nothing')) };

const openDefaultMasker = (): Masker =>
  openMasker(loadConfiguration({ environment: processEnvironment(), flags: {} }));
