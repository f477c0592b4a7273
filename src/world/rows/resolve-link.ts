import type { Database } from '../../store/index.ts';
import type { WrittenLink } from '../markdown/index.ts';
import { folderOf, foldName, joinPath, lastSegment } from '../names.ts';

export interface LinkTarget {
  readonly kind: WrittenLink['kind'];
  readonly target: string;
}

/** The index key of a link's target: its folded last segment. */
export function linkKey(target: string): string {
  return foldName(lastSegment(normalizeTarget(target)));
}

function normalizeTarget(target: string): string {
  return target.replace(/^\/+/, '').replace(/\.md$/i, '');
}

export interface Resolution {
  /** The number of the page. */
  readonly n: number;
  /** Whether the target is the path of the page, and not a name or alias. */
  readonly exact: boolean;
}

/** The number of the page that a link leads to; null if there is none. */
export function resolveLink(db: Database, link: LinkTarget, onPath: string): number | null {
  return findLinkedPage(db, link, onPath)?.n ?? null;
}

/** Whether the text of the link leads to this page. A Markdown link must have its path; a wiki link may have a name. */
export function leadsAsWritten(db: Database, link: LinkTarget, onPath: string, page: number): boolean {
  const found = findLinkedPage(db, link, onPath);
  return found !== null && found.n === page && (found.exact || link.kind === 'wiki');
}

/**
 * Finds the page with exactly that path (relative to the linking page, or from the top), or else a page whose path ends
 * with it, or else a page with that alias. Of several pages, the one with the shortest path is used. A candidate is
 * used only if no other page fits, so that no agent can redirect a link.
 */
export function findLinkedPage(
  db: Database,
  { kind, target }: LinkTarget,
  onPath: string,
): Resolution | null {
  const wantedName = normalizeTarget(target);
  if (wantedName === '') return null;
  const relativePath = joinPath(folderOf(onPath), wantedName);
  const isRelativeFirst = kind !== 'wiki' || /^\.\.?\//.test(wantedName);
  let candidate: Resolution | null = null;
  for (const path of isRelativeFirst ? [relativePath, wantedName] : [wantedName, relativePath]) {
    const row = path === null ? undefined : db.get(pageByPath, path);
    if (row === undefined) continue;
    const found = { n: Number(row['n']), exact: true };
    if (row['lifecycle'] !== 'Candidate') return found;
    candidate ??= found;
  }
  const foldedName = foldName(wantedName);
  for (const row of db.all(pagesByName, linkKey(wantedName))) {
    const name = String(row['whole']);
    const isMatch = name === foldedName || (row['alias'] === 0 && name.endsWith(`/${foldedName}`));
    if (!isMatch) continue;
    const found = { n: Number(row['page']), exact: false };
    return row['lifecycle'] === 'Candidate' ? (candidate ?? found) : found;
  }
  return candidate;
}

const pageByPath = 'SELECT n, lifecycle FROM world_pages WHERE path = ? AND deleted = 0';
const pagesByName = `
  SELECT x.page, x.alias, x.whole, p.lifecycle FROM world_names x JOIN world_pages p ON p.n = x.page
  WHERE x.key = ? ORDER BY p.lifecycle = 'Candidate', x.alias, length(p.path), p.path`;
