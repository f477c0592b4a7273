import type { Database } from '../store/index.ts';
import type { WrittenLink } from './markdown/index.ts';
import { folded, folderOf, joined, lastSegment } from './names.ts';

export interface LinkTarget {
  readonly kind: WrittenLink['kind'];
  readonly target: string;
}

/** The key by which a link and the names of pages meet. */
export function linkKey(target: string): string {
  return folded(lastSegment(plainTarget(target)));
}

function plainTarget(target: string): string {
  return target.replace(/^\/+/, '').replace(/\.md$/i, '');
}

/**
 * Which page a link leads to, by number: one at just that path (within the folder of the page it is on, or from the
 * top), else one whose path ends so, else one of that alias; of several the shortest path. A candidate only where
 * the author has none, so that no agent takes a link away.
 */
export function resolveLink(db: Database, { kind, target }: LinkTarget, onPath: string): number | null {
  const wanted = plainTarget(target);
  if (wanted === '') return null;
  const near = joined(folderOf(onPath), wanted);
  const relativeFirst = kind !== 'wiki' || /^\.\.?\//.test(wanted);
  let candidate: number | null = null;
  for (const path of relativeFirst ? [near, wanted] : [wanted, near]) {
    const row = path === null ? undefined : db.get(exactly, path);
    if (row === undefined) continue;
    if (row['lifecycle'] !== 'Candidate') return Number(row['n']);
    candidate ??= Number(row['n']);
  }
  const whole = folded(wanted);
  for (const row of db.all(byName, linkKey(wanted))) {
    const name = String(row['whole']);
    const fits = row['alias'] === 1 ? name === whole : name === whole || name.endsWith(`/${whole}`);
    if (!fits) continue;
    if (row['lifecycle'] !== 'Candidate') return Number(row['page']);
    return candidate ?? Number(row['page']);
  }
  return candidate;
}

const exactly = 'SELECT n, lifecycle FROM world_pages WHERE path = ? AND deleted = 0';
const byName = `
  SELECT x.page, x.alias, x.whole, p.lifecycle FROM world_names x JOIN world_pages p ON p.n = x.page
  WHERE x.key = ? ORDER BY p.lifecycle = 'Candidate', x.alias, length(p.path), p.path`;
