/**
 * Writes what an investigation proposed in a conversation as candidates that rest on what it read. It uses the tools
 * that write.
 */
import type { InvestigationRecord } from '../../../core/index.ts';
import { callUntilAnswered } from '../../../session/index.ts';
import type { HandedOver } from '../../../tasks/index.ts';
import type { ToolClient } from '../../../tools/index.ts';
import { withoutNull } from '../../investigation/proposals.ts';

/** An operation has the name of its tool. Repeating it does nothing: each write has the key of its proposal. */
export async function proposeOverTools(
  { result, proposed_writes, sources }: InvestigationRecord,
  tools: Pick<ToolClient, 'call'>,
  signal?: AbortSignal,
): Promise<readonly HandedOver[]> {
  const stop = signal === undefined ? {} : { signal };
  // A write that names a source which is gone would be refused. A page can be read by its id or its path.
  const readTrail: string[] = [];
  for (const page of sources) {
    const found = await callUntilAnswered(tools, { name: 'read_page', args: { page }, ...stop });
    if (found.ok) readTrail.push(page);
  }
  const handed: HandedOver[] = [];
  // In order: a later proposal may be about what an earlier one made.
  for (const { id, op, fields } of proposed_writes) {
    const idempotencyKey = `${result.run_id}/${id}`;
    const toolResult = await callUntilAnswered(tools, {
      name: op,
      args: withoutNull(fields),
      idempotencyKey,
      readTrail,
      ...stop,
    });
    if (!toolResult.ok) {
      handed.push({ id, outcome: 'refused', detail: toolResult.error.message });
      continue;
    }
    const { write, deviation_ids } = toolResult;
    const ids = [write?.write_id, ...(write?.content_ids ?? []).slice(0, 1), ...deviation_ids];
    const outcome = write?.applied === true ? 'applied' : 'held';
    handed.push({ id, outcome, detail: ids.filter((each) => each !== undefined).join(' ') });
  }
  return handed;
}
