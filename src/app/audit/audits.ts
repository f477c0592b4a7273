/** The audit of several places as one list: stores, tokens, and the pages of workspaces, whose log is their audit. */
import type { Act, Actor, Audit, AuditQuery, AuditRow } from '../../store/index.ts';
import type { WorldEvent, WorldReader } from '../../world/index.ts';

export type AuditList = Pick<Audit, 'list'>;

const isBefore = (one: Pick<AuditRow, 'at' | 'id'>, other: Pick<AuditRow, 'at' | 'id'>): boolean =>
  one.at < other.at || (one.at === other.at && one.id < other.id);

/** Newest first over all of them. */
export function joinAudits(places: readonly AuditList[]): AuditList {
  return {
    async list(query) {
      const all = await Promise.all(places.map((place) => place.list(query)));
      return all
        .flat()
        .toSorted((a, b) => (isBefore(a, b) ? 1 : -1))
        .slice(0, query.max);
    },
  };
}

/** Rows that the caller may not see are left out, however many there are. */
export function auditWhere(audit: AuditList, isShown: (row: AuditRow) => boolean): AuditList {
  return {
    async list(query) {
      const auditRows: AuditRow[] = [];
      let { after } = query;
      for (;;) {
        const rows = await audit.list({ ...query, max: readAtOnce, ...(after && { after }) });
        auditRows.push(...rows.filter(isShown));
        after = rows.at(-1);
        if (auditRows.length >= query.max || rows.length < readAtOnce) return auditRows.slice(0, query.max);
      }
    },
  };
}

const readAtOnce = 200;

/** Operations that decide on something; all others write. */
const decisions: ReadonlySet<string> = new Set([
  'promote',
  'reject',
  'resolve_deviation',
  'clear_flag',
  'undo',
]);

/**
 * What people and programs wrote in a workspace and decided on. The log of the workspace has a row for each accepted
 * write, in its transaction, and no row of it changes; so there is no second one.
 */
export function worldAudit(world: Pick<WorldReader, 'head' | 'events'>): AuditList {
  return {
    async list({ since = 0, actor, after, max }) {
      const found: AuditRow[] = [];
      for (let last = world.head(); last > 0 && found.length < max; last -= readAtOnce) {
        const first = Math.max(0, last - readAtOnce);
        const rows = world.events(first, last - first).toReversed();
        for (const event of rows) {
          if (event.caller_kind !== 'user' && event.caller_kind !== 'external') continue;
          const row = worldRow(event);
          if (row.at < since || (actor !== undefined && row.actor !== actor)) continue;
          if (after === undefined || isBefore(row, after)) found.push(row);
        }
        if ((rows.at(-1)?.at ?? 0) < since) break;
      }
      return found.toSorted((a, b) => (isBefore(a, b) ? 1 : -1)).slice(0, max);
    },
  };
}

/** What a write over HTTP names as its source. */
const overHttp = /^http api: (.+)$/;

function worldRow(event: WorldEvent): AuditRow {
  const { write_id, at, op, caller, caller_kind, content_ids, origin_source_id: source } = event;
  const token = overHttp.exec(source)?.[1] ?? (caller_kind === 'external' ? caller : undefined);
  const isHeld = !decisions.has(op) && event.before === null && event.after === null;
  return Object.freeze({
    ...{ id: write_id, at, act: op, on: content_ids[0] ?? '', team: '' },
    actor: token === undefined ? `user:${caller}` : `token:${token}`,
    result: isHeld ? 'held' : 'done',
  });
}

/** For servers: the acts of one workspace and of its person, and where an act without a row of its own is kept. */
export interface AuditPort {
  keep(act: Act, by: Actor): Promise<void>;
  /** `here`: only what was done in the workspace, and not what is kept for all who share a store. */
  list(query: AuditQuery & { readonly here?: boolean }): Promise<readonly AuditRow[]>;
}
