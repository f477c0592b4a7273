/** The audit of several places as one list: stores, tokens, and the pages of workspaces, whose log is their audit. */
import type { Act, Actor, Audit, AuditQuery, AuditRow } from '../../store/index.ts';
import type { WorldEvent, WorldReader } from '../../world/index.ts';

export type AuditList = Pick<Audit, 'list'>;

const isBefore = (row: Pick<AuditRow, 'at' | 'id'>, other: Pick<AuditRow, 'at' | 'id'>): boolean =>
  row.at < other.at || (row.at === other.at && row.id < other.id);

/** Joins audits into one list, newest first. */
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

/** The audit without rows that the caller may not see; reads on until `max` visible rows were found. */
export function filterAudit(audit: AuditList, isShown: (row: AuditRow) => boolean): AuditList {
  return {
    async list(query) {
      const auditRows: AuditRow[] = [];
      let { after } = query;
      for (;;) {
        const rows = await audit.list({ ...query, max: rowsPerRead, ...(after && { after }) });
        auditRows.push(...rows.filter(isShown));
        after = rows.at(-1);
        if (auditRows.length >= query.max || rows.length < rowsPerRead) return auditRows.slice(0, query.max);
      }
    },
  };
}

const rowsPerRead = 200;

/** Operations that decide on something; all others write. */
const decisions: ReadonlySet<string> = new Set([
  'promote',
  'reject',
  'resolve_deviation',
  'clear_flag',
  'undo',
]);

/**
 * The writes and decisions of people and programs in a workspace, read from the log of the workspace. That log has an
 * immutable row for each accepted write, so no separate audit is stored.
 */
export function worldAudit(world: Pick<WorldReader, 'head' | 'events'>): AuditList {
  return {
    async list({ since = 0, actor, after, max }) {
      const matching: AuditRow[] = [];
      for (let last = world.head(); last > 0 && matching.length < max; last -= rowsPerRead) {
        const first = Math.max(0, last - rowsPerRead);
        const rows = world.events(first, last - first).toReversed();
        for (const event of rows) {
          if (event.caller_kind !== 'user' && event.caller_kind !== 'external') continue;
          const row = toAuditRow(event);
          if (row.at < since || (actor !== undefined && row.actor !== actor)) continue;
          if (after === undefined || isBefore(row, after)) matching.push(row);
        }
        if ((rows.at(-1)?.at ?? 0) < since) break;
      }
      return matching.toSorted((a, b) => (isBefore(a, b) ? 1 : -1)).slice(0, max);
    },
  };
}

/** The source of a write over HTTP; it contains the name of the token. */
const httpSource = /^http api: (.+)$/;

function toAuditRow(event: WorldEvent): AuditRow {
  const { write_id, at, op, caller, caller_kind, content_ids, origin_source_id: source } = event;
  const token = httpSource.exec(source)?.[1] ?? (caller_kind === 'external' ? caller : undefined);
  const isHeld = !decisions.has(op) && event.before === null && event.after === null;
  return Object.freeze({
    ...{ id: write_id, at, act: op, on: content_ids[0] ?? '', team: '' },
    actor: token === undefined ? `user:${caller}` : `token:${token}`,
    result: isHeld ? 'held' : 'done',
  });
}

/** The audit of a server: stores actions that leave no other row, and lists those of its workspace and its user. */
export interface AuditPort {
  recordAct(act: Act, actor: Actor): Promise<void>;
  /** `here`: only actions in this workspace, without those on the shared store as a whole. */
  list(query: AuditQuery & { readonly here?: boolean }): Promise<readonly AuditRow[]>;
}
