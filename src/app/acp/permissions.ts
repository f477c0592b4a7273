/** What the agent proposed in a turn, put to the person: shown whole, before and after, and decided on there. */
import { type AgentContext, methods, type RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Caller } from '../../core/index.ts';
import { type InboxItem, type World, type WorldOperation, worldWrite } from '../../world/index.ts';
import { diffOf } from './updates.ts';

export interface Putting {
  readonly sessionId: string;
  readonly context: AgentContext;
  readonly world: World;
  readonly person: Caller;
}

/** More of them are decided on in the inbox. */
const maxPut = 20;

const options = [
  { optionId: 'accept', name: 'Accept', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  { optionId: 'later', name: 'Leave it in the inbox', kind: 'reject_once' },
] as const;

/** An editor that does not ask its person leaves everything in the inbox. */
export async function putToPerson(written: ReadonlySet<string>, putting: Putting): Promise<void> {
  const { world, sessionId, context } = putting;
  const waiting = (): readonly InboxItem[] =>
    world
      .inbox(Number.MAX_SAFE_INTEGER)
      .filter(({ kind, content_id }) => kind !== 'flag' && written.has(content_id));
  for (const { id } of waiting().slice(0, maxPut)) {
    // Accepting a page takes its blocks along.
    const item = waiting().find((one) => one.id === id);
    if (item === undefined) continue;
    const { path, before, after } = item;
    const asked = await context
      .request<RequestPermissionResponse>(methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId: `decide-${id}`,
          title: `Accept ${path}?`,
          kind: 'edit',
          status: 'pending',
          content: [diffOf(world.workspace.name, { path, before, after })],
        },
        options: [...options],
      })
      .catch(() => null);
    if (asked === null || asked.outcome.outcome !== 'selected') return;
    const { optionId } = asked.outcome;
    if (optionId === 'accept' || optionId === 'reject') decide(item, optionId, putting);
  }
}

/** What has changed meanwhile is refused, and stays in the inbox. */
function decide(item: InboxItem, act: 'accept' | 'reject', { world, person }: Putting): void {
  const { id, revision } = item;
  world.shown(person.name, [item]);
  const operation: WorldOperation =
    item.kind === 'deviation'
      ? { op: 'resolve_deviation', deviation: id, decision: act === 'accept' ? 'accept' : 'keep', revision }
      : { op: act === 'accept' ? 'promote' : 'reject', content: id, revision };
  world.submit(worldWrite({ operation, caller: person, source: 'acp', idempotencyKey: null }));
}
