/** The inbox of the author, and decisions on its items. */
import { z } from 'zod';
import { isSondeError } from '../../../core/index.ts';
import type { InboxItem, World, WorldEvent } from '../../../world/index.ts';
import { authorAlone, roles } from '../askers.ts';
import { listOf, listPage, listQuery, readCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';
import {
  decided,
  decisionBody,
  inboxItem,
  inboxMemory,
  inboxQuestion,
  keptDecision,
} from '../schemas/schemas.ts';
import { bodyOfError, errorBody } from '../statuses.ts';
import { decide, undo, waitingItem } from './decide.ts';
import { derivationsOf, sourcesOfHeld } from './derivations.ts';
import { inWorkspace, pageIn, workspaceParams } from './in-workspace.ts';

const item = workspaceParams.extend({ id: z.string().min(1).max(100) });
/** The position of an item in the order of the inbox. */
const place = z.tuple([z.number(), z.number(), z.string()]);
const placeOf = ({ standing, at, id }: InboxItem) => [standing, at, id] as const;

/** Maximum writes of one content that are searched. */
const maxHistory = 50;

const isBehind = (inboxItem: InboxItem, [standing, at, id]: readonly [number, number, string]): boolean =>
  inboxItem.standing < standing ||
  (inboxItem.standing === standing && (inboxItem.at > at || (inboxItem.at === at && inboxItem.id > id)));

/** The item with its author and its sources, so that the person can see where it comes from. */
function toApiItem({ workspace: { world } }: ApiPorts, one: InboxItem): z.input<typeof inboxItem> {
  const worldEvent = lastStanding(world, one.content_id);
  const deviation =
    one.kind === 'deviation'
      ? world.deviations({ content: one.content_id }).find(({ id }) => id === one.id)
      : undefined;
  const caller = deviation?.submitted['caller'] as
    | { readonly kind?: string; readonly name?: string; readonly thread?: string | null }
    | undefined;
  const by =
    caller === undefined
      ? worldEvent === undefined
        ? null
        : `${worldEvent.caller_kind}:${worldEvent.caller}`
      : `${caller.kind}:${caller.name}`;
  return {
    ...one,
    text: one.kind === 'flag' ? standingText(world, one.content_id) : null,
    conflicts: one.conflicts.map(({ base, ours, theirs }) => ({ base, ours, theirs })),
    by: one.kind === 'flag' ? null : by,
    thread: one.kind === 'flag' ? null : (caller?.thread ?? worldEvent?.thread ?? null),
    sources:
      deviation === undefined || deviation.candidate !== null
        ? derivationsOf(world, deviation?.candidate ?? one.content_id, 'sources')
        : sourcesOfHeld(world, deviation),
  };
}

/** The text of a block, or of a whole page without its candidates. */
function standingText(world: World, id: string): string | null {
  const page = world.read(id);
  return page === null
    ? (world.block(id)?.text ?? null)
    : page.front + page.blocks.map(({ text }) => text).join('');
}

/**
 * The last write to the content that was not undone. Each undo takes back the last write before it that was not yet
 * undone.
 */
function lastStanding(world: World, content: string): WorldEvent | undefined {
  let undone = 0;
  return world.history(content, maxHistory).find(({ op }) => {
    if (op === 'undo') undone += 1;
    else if (undone > 0) undone -= 1;
    else return true;
    return false;
  });
}

/** Records what the author was shown in full: only such content may be decided on. */
function keepShown(
  { workspace: { world, person } }: ApiPorts,
  role: string,
  items: readonly InboxItem[],
): void {
  if (role === 'author' && items.length > 0) world.shown(person.name, items);
}

const oneResult = z.union([
  z.strictObject({ id: z.string(), decided }),
  z.strictObject({ id: z.string(), error: errorBody.shape.error }),
]);

export const inboxRoutes = [
  route({
    id: 'listInbox',
    method: 'get',
    path: '/workspaces/{workspace}/inbox',
    summary:
      'What waits for the author: of pages that of most standing first, and with the first of them questions from scheduled conversations, and to the author memory that was stored after reading material; what the author is given here counts as shown',
    may: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery.extend({
      page: z.string().min(1).max(1_000).optional().describe('what waits in this page alone; its id or path'),
    }),
    answer: listOf(inboxItem).extend({
      questions: z.array(inboxQuestion),
      memory: z.array(inboxMemory),
    }),
    async handle({ params, query: { limit, cursor, page: name }, asker }, ports) {
      const { world } = inWorkspace(params, ports);
      const after = readCursor(cursor, place);
      const page = name === undefined ? null : pageIn({ ...params, page: name }, ports, { deleted: true });
      const waiting = world
        .inbox(Number.MAX_SAFE_INTEGER)
        .filter((inboxItem) => page === null || inboxItem.path === page.path)
        .filter((inboxItem) => after === null || isBehind(inboxItem, after));
      const { items, next } = listPage(waiting, limit, placeOf);
      keepShown(ports, asker.role, items);
      const otherItems = after === null && page === null ? await ports.otherInboxItems() : [];
      return {
        items: items.map((inboxItem) => toApiItem(ports, inboxItem)),
        next,
        questions: otherItems.flatMap((otherInboxItem) => {
          if (otherInboxItem.kind !== 'question') return [];
          const { id, thread, schedule, at, note } = otherInboxItem;
          return [{ id, thread, schedule, at, note }];
        }),
        memory: otherItems.flatMap((otherInboxItem) => {
          if (otherInboxItem.kind !== 'memory' || asker.role !== 'author') return [];
          const { id, text, origins, writer, at } = otherInboxItem;
          return [{ id, text, origins: [...origins], writer, at }];
        }),
      };
    },
  }),
  route({
    id: 'getInboxItem',
    method: 'get',
    path: '/workspaces/{workspace}/inbox/{id}',
    summary: 'One item that waits',
    may: roles,
    effect: 'read',
    params: item,
    answer: inboxItem,
    handle({ params, asker }, ports) {
      const inboxItem = waitingItem(inWorkspace(params, ports).world, params.id);
      keepShown(ports, asker.role, [inboxItem]);
      return toApiItem(ports, inboxItem);
    },
  }),
  route({
    id: 'decide',
    method: 'post',
    path: '/workspaces/{workspace}/inbox/{id}/decision',
    summary: 'Accept, edit, reject or resolve one item, of the revision that was shown',
    may: authorAlone,
    effect: 'author',
    params: item,
    body: decisionBody,
    answer: decided,
    errors: ['stale', 'conflict'],
    handle({ params, body, asker, key }, ports) {
      inWorkspace(params, ports);
      return decide(ports, params.id, body, { asker, key });
    },
  }),
  route({
    id: 'decideMany',
    method: 'post',
    path: '/workspaces/{workspace}/inbox/decisions',
    summary: 'Decide several, each by itself: what is refused of one stops no other',
    may: authorAlone,
    effect: 'author',
    params: workspaceParams,
    body: z
      .strictObject({
        decisions: z
          .array(decisionBody.extend({ id: z.string().min(1).max(100) }))
          .min(1)
          .max(200),
      })
      .meta({ id: 'DecisionsBody' }),
    answer: z.strictObject({ items: z.array(oneResult) }),
    handle({ params, body, asker, key }, ports) {
      inWorkspace(params, ports);
      const items = body.decisions.map(({ id, ...one }) => {
        try {
          return { id, decided: decide(ports, id, one, { asker, key }) };
        } catch (thrown) {
          if (!isSondeError(thrown)) throw thrown;
          return { id, error: bodyOfError(thrown).error };
        }
      });
      return { items };
    },
  }),
  route({
    id: 'undo',
    method: 'post',
    path: '/workspaces/{workspace}/undo',
    summary: 'Take a decision back, while nothing else has changed what it was about',
    may: authorAlone,
    effect: 'author',
    params: workspaceParams,
    body: z
      .strictObject({ write_id: z.string().min(1).max(100).describe('that the decision gave') })
      .meta({ id: 'Undo' }),
    answer: z.strictObject({ write_id: z.string(), content_ids: z.array(z.string()) }),
    errors: ['run_state'],
    handle({ params, body, asker, key }, ports) {
      inWorkspace(params, ports);
      return undo(ports, body.write_id, { asker, key });
    },
  }),
  route({
    id: 'listDecisions',
    method: 'get',
    path: '/workspaces/{workspace}/inbox/decisions',
    summary: 'What was decided over this interface, and why, newest first',
    may: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: listOf(keptDecision),
    handle({ params, query: { limit, cursor } }, ports) {
      const { world } = inWorkspace(params, ports);
      const [before] = readCursor(cursor, z.tuple([z.number().int()])) ?? [];
      const found = ports.records.decisions(world.workspace.id, limit + 1, before);
      const { items, next } = listPage(found, limit, ({ n }) => [n]);
      return { items: items.map(({ act, ...one }) => ({ ...one, act: act as 'accept' })), next };
    },
  }),
];
