/** Writes what an investigation proposed, through the submit boundary: candidates that rest on what was read. */
import { hostname } from 'node:os';
import type { Caller, InvestigationRecord, Masker, ProposedWrite, ToolResult } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { restoringTools } from '../workspace/restoring-tools.ts';
import { openWorkspace } from '../workspace/workspace.ts';

export interface Crossed {
  readonly id: string;
  readonly outcome: 'applied' | 'held' | 'refused';
  /** The content that was made or changed, or why it was refused. */
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
 * By the tool of the operation's name, as in a conversation: the same arguments, checks and marks of secrets. Again, it does
 * nothing again. `file`: the workspace that the run looked at.
 */
export async function crossProposals(
  { result, proposed_writes, sources }: InvestigationRecord,
  file: string,
  mask: Masker = ownMasker(),
): Promise<readonly Crossed[]> {
  const { capabilitySet, openToolHost, pageTools } = await import('../../tools/index.ts');
  const { world, close } = await openWorkspace(file, { make: false });
  const host = openToolHost({ tools: restoringTools(pageTools({ world, search: unsearched }), world, mask) });
  const call = {
    caller,
    capabilities: capabilitySet('agent'),
    // A source that is gone meanwhile would have the write refused.
    readTrail: sources.filter((id) => world.read(id, 'all') !== null),
    source: `investigation:${result.run_id}`,
  };
  const crossed: Crossed[] = [];
  try {
    // One after another: a later one may be about what an earlier one made.
    for (const { id, op, fields } of proposed_writes) {
      const idempotencyKey = `${result.run_id}/${id}`;
      const written = await host.callTool(op, withoutNull(fields), { ...call, idempotencyKey });
      crossed.push({ id, ...outcomeOf(written) });
    }
    return crossed;
  } finally {
    close();
  }
}

function outcomeOf(written: ToolResult): Omit<Crossed, 'id'> {
  if (!written.ok) return { outcome: 'refused', detail: written.error.message };
  const { applied = false, content_ids = [] } = written.write ?? {};
  return { outcome: applied ? 'applied' : 'held', detail: content_ids.join(', ') };
}

/** What Python passes as None was not given. */
export function withoutNull(fields: ProposedWrite['fields']): ProposedWrite['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const unsearched = { search: () => Promise.reject(new Error('nothing is searched by a write')) };

const ownMasker = (): Masker =>
  openMasker(loadConfiguration({ environment: processEnvironment(), flags: {} }));
