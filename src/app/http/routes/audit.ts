/** The audit log over HTTP: who did what, and when. */
import { z } from 'zod';
import { managerRoles } from '../askers.ts';
import { listPage, listQuery, pageSchema, readCursor } from '../lists.ts';
import { route } from '../route.ts';

const auditRow = z
  .strictObject({
    id: z.string(),
    at: z.number(),
    actor: z.string().describe('user:NAME or token:NAME'),
    team: z.string().describe('empty: none'),
    act: z.string(),
    on: z.string().describe('an id or a name'),
    result: z.string(),
  })
  .meta({ id: 'AuditRow' });

export const auditRoutes = [
  route({
    id: 'listAudit',
    method: 'get',
    path: '/audit',
    summary: 'Who did what in this workspace and with its runs, newest first; no texts, no secrets',
    allowedRoles: managerRoles,
    effect: 'read',
    query: listQuery.extend({
      since: z.coerce.number().int().min(0).optional().describe('milliseconds since the Unix epoch'),
      actor: z.string().min(1).max(200).optional(),
    }),
    answer: pageSchema(auditRow),
    async handle({ query: { limit, cursor, since, actor }, asker }, { audit }) {
      const [at, id] = readCursor(cursor, z.tuple([z.number(), z.string()])) ?? [];
      const auditEntries = await audit.list({
        max: limit + 1,
        // The shared store has the entries of all teams, so members of a team get only those of this workspace.
        here: asker.team !== '',
        ...(since !== undefined && { since }),
        ...(actor !== undefined && { actor }),
        ...(at !== undefined && id !== undefined && { after: { at, id } }),
      });
      return listPage(auditEntries, limit, (last) => [last.at, last.id]);
    },
  }),
];
