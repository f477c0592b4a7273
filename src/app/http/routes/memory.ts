/** Memory over HTTP: its owner can read, change, confirm and erase it. */
import { z } from 'zod';
import { type MemoryFilter, tiers } from '../../../memory/index.ts';
import { decideMemory, writeAsAuthor } from '../../memory.ts';
import { authorOnly } from '../askers.ts';
import { listQuery, offsetPage, pageSchema } from '../lists.ts';
import { route } from '../route.ts';
import { requireWorkspace, workspaceParams } from './in-workspace.ts';

const time = z.number().describe('milliseconds since the Unix epoch');

const memoryItemSchema = z
  .object({
    id: z.string(),
    tier: z.string(),
    within: z.string().nullable(),
    key: z.string(),
    text: z.string(),
    created: time,
    updated: time,
    writer: z.string(),
    origins: z.array(z.string()),
    held: z.boolean().describe('it waits for its owner'),
  })
  .meta({ id: 'MemoryItem' });

const tier = z.enum(tiers);
const placeFields = {
  thread: z.string().min(1).max(100).optional().describe('of the tier conversation'),
  channel: z.string().min(1).max(100).optional().describe('of the tier channel'),
};
const key = z.string().min(1).max(1_000);
const ownerRoute = { params: workspaceParams, allowedRoles: authorOnly } as const;

type PartialFilter = { readonly [Name in keyof MemoryFilter]?: MemoryFilter[Name] | undefined };

/** Leaves out absent conditions. */
const dropAbsent = (filter: PartialFilter): MemoryFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

const toPlace = ({
  thread,
  channel,
}: {
  readonly thread?: string | undefined;
  readonly channel?: string | undefined;
}) => ({
  ...(thread !== undefined && { thread }),
  ...(channel !== undefined && { channel }),
});

export const memoryRoutes = [
  route({
    id: 'listMemory',
    method: 'get',
    path: '/workspaces/{workspace}/memory',
    summary: 'What agents remember, newest first; of its owner alone',
    allowedRoles: authorOnly,
    effect: 'read',
    params: workspaceParams,
    query: listQuery.extend({
      tier: z.enum(tiers).optional(),
      within: z.string().min(1).max(200).optional(),
      match: z.string().min(1).max(1_000).optional(),
    }),
    answer: pageSchema(memoryItemSchema),
    async handle({ params, query: { limit, cursor, ...filter } }, ports) {
      requireWorkspace(params, ports);
      const allMemories = (await ports.memory()).listAll(dropAbsent(filter));
      const { items, next } = offsetPage(allMemories, { limit, cursor });
      return {
        items: items.map((memoryItem) => ({ ...memoryItem, origins: [...memoryItem.origins] })),
        next,
      };
    },
  }),
  route({
    ...ownerRoute,
    id: 'putMemory',
    method: 'post',
    path: '/workspaces/{workspace}/memory',
    summary: 'Remembers a text under a key',
    effect: 'write',
    body: z
      .strictObject({
        tier: tier.default('workspace'),
        key,
        text: z.string().min(1).max(100_000),
        ...placeFields,
      })
      .meta({ id: 'NewMemory' }),
    answer: z.strictObject({ id: z.string(), change: z.enum(['created', 'updated', 'unchanged', 'held']) }),
    status: 201,
    async handle({ params, body: { tier: toTier, key: itemKey, text, ...scope } }, ports) {
      requireWorkspace(params, ports);
      const memory = await ports.memory();
      const { id, change } = writeAsAuthor(memory, toPlace(scope), (view, by) =>
        view.put({ tier: toTier, key: itemKey, text }, by),
      );
      return { id, change };
    },
  }),
  route({
    ...ownerRoute,
    id: 'forgetMemory',
    method: 'delete',
    path: '/workspaces/{workspace}/memory',
    summary: 'Forgets what a key holds',
    effect: 'write',
    query: z.strictObject({ tier: tier.default('workspace'), key, ...placeFields }),
    answer: z.strictObject({ id: z.string().nullable().describe('null: there was nothing of that key') }),
    async handle({ params, query: { tier: fromTier, key: itemKey, ...scope } }, ports) {
      requireWorkspace(params, ports);
      const memory = await ports.memory();
      const { id } = writeAsAuthor(memory, toPlace(scope), (view, by) => view.forget(fromTier, itemKey, by));
      return { id };
    },
  }),
  route({
    ...ownerRoute,
    id: 'decideMemory',
    method: 'post',
    path: '/workspaces/{workspace}/memory/decision',
    summary: 'Takes in an item of the account that waits for its owner, or drops it',
    effect: 'author',
    body: z.strictObject({ key, accept: z.boolean() }).meta({ id: 'MemoryDecision' }),
    answer: z.strictObject({ id: z.string().nullable(), accepted: z.boolean() }),
    async handle({ params, body }, ports) {
      requireWorkspace(params, ports);
      const { id } = decideMemory(await ports.memory(), body.key, body.accept);
      return { id, accepted: body.accept };
    },
  }),
  route({
    ...ownerRoute,
    id: 'scrubMemory',
    method: 'post',
    path: '/workspaces/{workspace}/memory/scrub',
    summary: 'Deletes what is narrowed to, and its bytes from the files; without a filter everything',
    effect: 'write',
    body: z
      .strictObject({
        tier: tier.optional(),
        within: z.string().min(1).max(200).optional(),
        match: z.string().min(1).max(1_000).optional(),
        yes: z.literal(true),
      })
      .meta({ id: 'MemoryScrub' }),
    answer: z.strictObject({
      deleted: z.number().int(),
      erased: z.boolean().describe('false: another process reads the file, and its bytes are still there'),
    }),
    async handle({ params, body: { yes: _, ...filter } }, ports) {
      requireWorkspace(params, ports);
      const memory = await ports.memory();
      const deletedCount = memory.listAll(dropAbsent(filter)).length;
      return { deleted: deletedCount, erased: memory.scrub(dropAbsent(filter)).erased };
    },
  }),
];
