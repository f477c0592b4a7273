import type { Database } from '../../store/index.ts';
import { type LinkRow, listLinksByKey, listNameKeys, listPageLinks } from '../rows/link-rows.ts';
import { indexPage } from '../rows/page-rows.ts';
import {
  findLinkedPage,
  leadsAsWritten,
  linkKey,
  type Resolution,
  resolveLink,
} from '../rows/resolve-link.ts';
import { type PageRow, readPageRow } from '../rows/rows.ts';
import { lifecycleAfterMove } from './act.ts';
import type { Targets } from './targets.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Moves a page and all pages below it. Links keep their targets: if the text of a link would now lead
 * elsewhere, the link is bound to its target, and readers see the present path of that page.
 */
export function movePage(unit: UnitOfWork, { page, below }: Targets, to: string): void {
  const { db, act, trace } = unit;
  const root = page!;
  const moving = [root, ...below];
  const newLifecycle = lifecycleAfterMove(act, root);
  const oldTargets = new Map<string, readonly [LinkRow, Resolution]>();
  const recordTarget = (link: LinkRow) => {
    if (link.pin !== null) return;
    const oldTarget = findLinkedPage(db, link, link.pagePath);
    if (oldTarget !== null) oldTargets.set(`${link.block}/${link.ordinal}`, [link, oldTarget]);
  };
  // Collects links by the old names, and links by the new name, which may have led to other pages until now.
  const keys = new Set([linkKey(to), ...moving.flatMap(({ n }) => listNameKeys(db, n))]);
  for (const key of keys) listLinksByKey(db, key).forEach(recordTarget);
  for (const { n } of moving) listPageLinks(db, n).forEach(recordTarget);

  // Two steps, since a page may take the path that another moving page leaves.
  for (const { n } of moving) db.run("UPDATE world_pages SET path = '/' || id WHERE n = ?", n);
  for (const pageRow of moving) rename(unit, pageRow, to + pageRow.path.slice(root.path.length));
  if (newLifecycle !== root.lifecycle) {
    db.run('UPDATE world_pages SET lifecycle = ? WHERE n = ?', newLifecycle, root.n);
    trace.note(root.id, { lifecycle: root.lifecycle }, { lifecycle: newLifecycle });
  }
  trace.result(root.id);

  for (const [link, oldTarget] of oldTargets.values()) {
    const path = readPageRow(db, link.pageNumber).path;
    const leadsToTarget = oldTarget.exact
      ? leadsAsWritten(db, link, path, oldTarget.n)
      : resolveLink(db, link, path) === oldTarget.n;
    // A link in accepted content is not bound to a candidate, since that would show the path of the candidate.
    const wouldShowCandidate = link.shown && readPageRow(db, oldTarget.n).lifecycle === 'Candidate';
    if (!leadsToTarget && !wouldShowCandidate) bindLink(db, link, oldTarget.n);
  }
}

function rename({ db, act, trace }: UnitOfWork, page: PageRow, path: string): void {
  db.run(
    'UPDATE world_pages SET path = ?, revision = revision + 1, updated = ? WHERE n = ?',
    path,
    act.now,
    page.n,
  );
  indexPage(db, readPageRow(db, page.n));
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
