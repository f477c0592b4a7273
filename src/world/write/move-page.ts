import type { Database } from '../../store/index.ts';
import { keysOf, type LinkRow, linksByKey, linksOnPage } from '../rows/link-rows.ts';
import { indexPage } from '../rows/page-rows.ts';
import { leadsAsWritten, linkKey, type Resolution, resolution, resolveLink } from '../rows/resolve-link.ts';
import { type PageRow, pageOf } from '../rows/rows.ts';
import { lifecycleAfterMove } from './act.ts';
import type { Targets } from './targets.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Moves a page and all pages below it. Every link keeps its page. A link whose text would now lead elsewhere is bound
 * to its old page, and read with the path of that page from then on.
 */
export function movePage(unit: UnitOfWork, { page, below }: Targets, to: string): void {
  const { db, act, trace } = unit;
  const root = page!;
  const moving = [root, ...below];
  const is = lifecycleAfterMove(act, root);
  const before = new Map<string, readonly [LinkRow, Resolution]>();
  const look = (link: LinkRow) => {
    if (link.pin !== null) return;
    const oldTarget = resolution(db, link, link.pagePath);
    if (oldTarget !== null) before.set(`${link.block}/${link.ordinal}`, [link, oldTarget]);
  };
  // Checks links by the old names and by the new one, which may now match links that led elsewhere.
  const keys = new Set([linkKey(to), ...moving.flatMap(({ n }) => keysOf(db, n))]);
  for (const key of keys) linksByKey(db, key).forEach(look);
  for (const { n } of moving) linksOnPage(db, n).forEach(look);

  // The paths change in two steps, since a page may take the path that another moving page leaves.
  for (const { n } of moving) db.run("UPDATE world_pages SET path = '/' || id WHERE n = ?", n);
  for (const pageRow of moving) rename(unit, pageRow, to + pageRow.path.slice(root.path.length));
  if (is !== root.lifecycle) {
    db.run('UPDATE world_pages SET lifecycle = ? WHERE n = ?', is, root.n);
    trace.note(root.id, { lifecycle: root.lifecycle }, { lifecycle: is });
  }
  trace.result(root.id);

  for (const [link, oldTarget] of before.values()) {
    const path = pageOf(db, link.pageNumber).path;
    const stays = oldTarget.exact
      ? leadsAsWritten(db, link, path, oldTarget.n)
      : resolveLink(db, link, path) === oldTarget.n;
    // A candidate that moves changes nothing in what the author reads.
    const hidden = link.shown && pageOf(db, oldTarget.n).lifecycle === 'Candidate';
    if (!stays && !hidden) bindLink(db, link, oldTarget.n);
  }
}

function rename({ db, act, trace }: UnitOfWork, page: PageRow, path: string): void {
  db.run(
    'UPDATE world_pages SET path = ?, revision = revision + 1, updated = ? WHERE n = ?',
    path,
    act.now,
    page.n,
  );
  indexPage(db, pageOf(db, page.n));
  trace.touch(page.n);
  trace.note(page.id, { path: page.path }, { path });
}

function bindLink(db: Database, { block, ordinal }: LinkRow, page: number): void {
  if (block < 0) {
    db.run('UPDATE world_front_links SET pin = ? WHERE page = ? AND ordinal = ?', page, -block, ordinal);
    return;
  }
  db.run('UPDATE world_links SET pin = ? WHERE block = ? AND ordinal = ?', page, block, ordinal);
  db.run('UPDATE world_blocks SET pinned = 1 WHERE n = ?', block);
}
