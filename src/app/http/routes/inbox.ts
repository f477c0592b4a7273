/** The inbox of the author, and decisions on its items. */
import { z } from 'zod';
import { isSondeError } from '../../../core/index.ts';
import type { InboxItem, World, WorldEvent } from '../../../world/index.ts';
import { authorOnly, roles } from '../askers.ts';
import { listPage, listQuery, pageSchema, readCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { route } from '../route.ts';
import {
  decisionBody,
  decisionResult,
  inboxItem,
  inboxMemory,
  inboxQuestion,
  storedDecision,
} from '../schemas/schemas.ts';
import { errorBody, toErrorBody } from '../statuses.ts';
import { decide, requireItem, undoDecision } from './decisions.ts';
import { listDerivations, listHeldSources } from './derivations.ts';
import { requirePage, requireWorkspace, workspaceParams } from './in-workspace.ts';

const itemParams = workspaceParams.extend({ id: z.string().min(1).max(100) });
/** The position of an item in the order of the inbox. */
const inboxPosition = z.tuple([z.number(), z.number(), z.string()]);
const toPosition = ({ standing, at, id }: InboxItem) => [standing, at, id] as const;

/** Maximum writes of one content that are searched. */
const maxHistory = 50;

const isAfterCursor = (
  inboxItem: InboxItem,
  [standing, at, id]: readonly [number, number, string],
): boolean =>
  inboxItem.standing < standing ||
  (inboxItem.standing === standing && (inboxItem.at > at || (inboxItem.at === at && inboxItem.id > id)));

/** Adds the author and the sources to an item, so that the person can see where it comes from. */
function toApiItem({ workspace: { world } }: ApiPorts, item: InboxItem): z.input<typeof inboxItem> {
  const worldEvent = findLastWrite(world, item.content_id);
  const deviation =
    item.kind === 'deviation'
      ? world.deviations({ content: item.content_id }).find(({ id }) => id === item.id)
      : undefined;
  const caller = deviation?.submitted['caller'] as
    | { readonly kind?: string; readonly name?: string; readonly thread?: string | null }
    | undefined;
  const authorName =
    caller === undefined
      ? worldEvent === undefined
        ? null
        : `${worldEvent.caller_kind}:${worldEvent.caller}`
      : `${caller.kind}:${caller.name}`;
  return {
    ...item,
    text: item.kind === 'flag' ? readCurrentText(world, item.content_id) : null,
    conflicts: item.conflicts.map(({ base, ours, theirs }) => ({ base, ours, theirs })),
    by: item.kind === 'flag' ? null : authorName,
    thread: item.kind === 'flag' ? null : (caller?.thread ?? worldEvent?.thread ?? null),
    sources:
      deviation === undefined || deviation.candidate !== null
        ? listDerivations(world, deviation?.candidate ?? item.content_id, 'sources')
        : listHeldSources(world, deviation),
  };
}

/** The text of a block, or of a whole page without its candidates. */
function readCurrentText(world: World, id: string): string | null {
  const page = world.read(id);
  return page === null
    ? (world.block(id)?.text ?? null)
    : page.front + page.blocks.map(({ text }) => text).join('');
}

/**
 * Finds the last write to the content that was not undone, reading backwards: each undo reverts the last earlier write
 * that was not undone before.
 */
function findLastWrite(world: World, content: string): WorldEvent | undefined {
  let undoCount = 0;
  return world.history(content, maxHistory).find(({ op }) => {
    if (op === 'undo') undoCount += 1;
    else if (undoCount > 0) undoCount -= 1;
    else return true;
    return false;
  });
}

/** Records what the author was shown in full: only such content may be decided on. */
function recordShown(
  { workspace: { world, person } }: ApiPorts,
  role: string,
  items: readonly InboxItem[],
): void {
  if (role === 'author' && items.length > 0) world.shown(person.name, items);
}

const itemResult = z.union([
  z.strictObject({ id: z.string(), decided: decisionResult }),
  z.strictObject({ id: z.string(), error: errorBody.shape.error }),
]);

export const inboxRoutes = [
  route({
    id: 'listInbox',
    method: 'get',
    path: '/workspaces/{workspace}/inbox',
    summary:
      'What waits for the author: of pages that of most standing first, and with the first of them questions from scheduled conversations, and to the author memory that was stored after reading material; what the author is given here counts as shown',
    allowedRoles: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery.extend({
      page: z.string().min(1).max(1_000).optional().describe('what waits in this page alone; its id or path'),
    }),
    answer: pageSchema(inboxItem).extend({
      questions: z.array(inboxQuestion),
      memory: z.array(inboxMemory),
    }),
    async handle({ params, query: { limit, cursor, page: name }, asker }, ports) {
      const { world } = requireWorkspace(params, ports);
      const after = readCursor(cursor, inboxPosition);
      const page =
        name === undefined ? null : requirePage({ ...params, page: name }, ports, { deleted: true });
      const waitingItems = world
        .inbox(Number.MAX_SAFE_INTEGER)
        .filter((inboxItem) => page === null || inboxItem.path === page.path)
        .filter((inboxItem) => after === null || isAfterCursor(inboxItem, after));
      const { items, next } = listPage(waitingItems, limit, toPosition);
      recordShown(ports, asker.role, items);
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
    allowedRoles: roles,
    effect: 'read',
    params: itemParams,
    answer: inboxItem,
    handle({ params, asker }, ports) {
      const inboxItem = requireItem(requireWorkspace(params, ports).world, params.id);
      recordShown(ports, asker.role, [inboxItem]);
      return toApiItem(ports, inboxItem);
    },
  }),
  route({
    id: 'decide',
    method: 'post',
    path: '/workspaces/{workspace}/inbox/{id}/decision',
    summary: 'Accept, edit, reject or resolve one item, of the revision that was shown',
    allowedRoles: authorOnly,
    effect: 'author',
    params: itemParams,
    body: decisionBody,
    answer: decisionResult,
    errors: ['stale', 'conflict'],
    handle({ params, body, asker, key }, ports) {
      requireWorkspace(params, ports);
      return decide(ports, params.id, body, { asker, key });
    },
  }),
  route({
    id: 'decideMany',
    method: 'post',
    path: '/workspaces/{workspace}/inbox/decisions',
    summary: 'Decide several, each by itself: what is refused of one stops no other',
    allowedRoles: authorOnly,
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
    answer: z.strictObject({ items: z.array(itemResult) }),
    handle({ params, body, asker, key }, ports) {
      requireWorkspace(params, ports);
      const items = body.decisions.map(({ id, ...one }) => {
        try {
          return { id, decided: decide(ports, id, one, { asker, key }) };
        } catch (thrown) {
          if (!isSondeError(thrown)) throw thrown;
          return { id, error: toErrorBody(thrown).error };
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
    allowedRoles: authorOnly,
    effect: 'author',
    params: workspaceParams,
    body: z
      .strictObject({ write_id: z.string().min(1).max(100).describe('that the decision gave') })
      .meta({ id: 'Undo' }),
    answer: z.strictObject({ write_id: z.string(), content_ids: z.array(z.string()) }),
    errors: ['run_state'],
    handle({ params, body, asker, key }, ports) {
      requireWorkspace(params, ports);
      return undoDecision(ports, body.write_id, { asker, key });
    },
  }),
  route({
    id: 'listDecisions',
    method: 'get',
    path: '/workspaces/{workspace}/inbox/decisions',
    summary: 'What was decided over this interface, and why, newest first',
    allowedRoles: roles,
    effect: 'read',
    params: workspaceParams,
    query: listQuery,
    answer: pageSchema(storedDecision),
    handle({ params, query: { limit, cursor } }, ports) {
      const { world } = requireWorkspace(params, ports);
      const [before] = readCursor(cursor, z.tuple([z.number().int()])) ?? [];
      const foundDecisions = ports.records.decisions(world.workspace.id, limit + 1, before);
      const { items, next } = listPage(foundDecisions, limit, ({ n }) => [n]);
      return { items: items.map(({ act, ...one }) => ({ ...one, act: act as 'accept' })), next };
    },
  }),
];
