/** Asks the person in the editor to accept or reject what the agent proposed in a turn, with the text before and after. */
import { type AgentContext, methods, type RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Caller } from '../../core/index.ts';
import { type InboxItem, type World, type WorldOperation, worldWrite } from '../../world/index.ts';
import { toDiff } from './updates.ts';

export interface PermissionContext {
  readonly sessionId: string;
  readonly context: AgentContext;
  readonly world: World;
  readonly person: Caller;
}

/** Maximum proposals of a turn that the editor asks about. The others wait in the inbox. */
const maxAsked = 20;

// The protocol has no kind for a postponed decision, so `later` is told apart by its id.
const options = [
  { optionId: 'accept', name: 'Accept', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  { optionId: 'later', name: 'Leave it in the inbox', kind: 'reject_once' },
] as const;

/** If the editor does not ask the person, everything stays in the inbox. */
export async function askPerson(
  writtenIds: ReadonlySet<string>,
  permission: PermissionContext,
): Promise<void> {
  const { world, sessionId, context } = permission;
  const waiting = (): readonly InboxItem[] =>
    world
      .inbox(Number.MAX_SAFE_INTEGER)
      .filter(({ kind, content_id }) => kind !== 'flag' && writtenIds.has(content_id));
  for (const { id } of waiting().slice(0, maxAsked)) {
    // Accepting a page accepts its blocks as well, so an item may be gone by now.
    const item = waiting().find((inboxItem) => inboxItem.id === id);
    if (item === undefined) continue;
    const { path, before, after } = item;
    const response = await context
      .request<RequestPermissionResponse>(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId: `decide-${id}`,
          title: `Accept ${path}?`,
          kind: 'edit',
          status: 'pending',
          content: [toDiff(world.workspace.name, { path, before, after })],
        },
        options: [...options],
      })
      .catch(() => null);
    if (response === null || response.outcome.outcome !== 'selected') return;
    const { optionId } = response.outcome;
    if (optionId === 'accept' || optionId === 'reject') decide(item, optionId, permission);
  }
}

/** A proposal that changed meanwhile is refused and stays in the inbox. */
function decide(item: InboxItem, act: 'accept' | 'reject', { world, person }: PermissionContext): void {
  const { id, revision } = item;
  world.shown(person.name, [item]);
  const operation: WorldOperation =
    item.kind === 'deviation'
      ? { op: 'resolve_deviation', deviation: id, decision: act === 'accept' ? 'accept' : 'keep', revision }
      : { op: act === 'accept' ? 'promote' : 'reject', content: id, revision };
  world.submit(worldWrite({ operation, caller: person, source: 'acp', idempotencyKey: null }));
}
