/**
 * Writes the pages that an investigation proposed in a conversation, as candidates that cite what the investigation
 * read. Uses the writing tools.
 */
import type { InvestigationRecord } from '../../../core/index.ts';
import { callUntilAnswered } from '../../../session/index.ts';
import type { ProposalOutcome } from '../../../tasks/index.ts';
import type { ToolClient } from '../../../tools/index.ts';
import { dropNullFields } from '../../investigation/proposals.ts';

/** Calls the tool of each operation. Repeating this has no effect: the idempotency key is the proposal's id. */
export async function proposeOverTools(
  { result, proposed_writes, sources }: InvestigationRecord,
  tools: Pick<ToolClient, 'call'>,
  signal?: AbortSignal,
): Promise<readonly ProposalOutcome[]> {
  const signalOption = signal === undefined ? {} : { signal };
  // Leaves out missing sources, since a write that names one would be refused. `sources` are page ids or paths.
  const readTrail: string[] = [];
  for (const page of sources) {
    const readResult = await callUntilAnswered(tools, { name: 'read_page', args: { page }, ...signalOption });
    if (readResult.ok) readTrail.push(page);
  }
  const outcomes: ProposalOutcome[] = [];
  // In order: a later proposal may change a page that an earlier one creates.
  for (const { id, op, fields } of proposed_writes) {
    const idempotencyKey = `${result.run_id}/${id}`;
    const toolResult = await callUntilAnswered(tools, {
      name: op,
      args: dropNullFields(fields),
      idempotencyKey,
      readTrail,
      ...signalOption,
    });
    if (!toolResult.ok) {
      outcomes.push({ id, outcome: 'refused', detail: toolResult.error.message });
      continue;
    }
    const { write, deviation_ids } = toolResult;
    const ids = [write?.write_id, ...(write?.content_ids ?? []).slice(0, 1), ...deviation_ids];
    const outcome = write?.applied === true ? 'applied' : 'held';
    outcomes.push({ id, outcome, detail: ids.filter((each) => each !== undefined).join(' ') });
  }
  return outcomes;
}
