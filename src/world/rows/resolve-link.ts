import type { Database } from '../../store/index.ts';
import type { WrittenLink } from '../markdown/index.ts';
import { folderOf, foldName, joinPath, lastSegment } from '../names.ts';

export interface LinkTarget {
  readonly kind: WrittenLink['kind'];
  readonly target: string;
}

/** The key under which a link is compared with the names of pages. */
export function linkKey(target: string): string {
  return foldName(lastSegment(plainTarget(target)));
}

function plainTarget(target: string): string {
  return target.replace(/^\/+/, '').replace(/\.md$/i, '');
}

export interface Resolution {
  /** The number of the page. */
  readonly n: number;
  /** Whether the path matched as other programs would resolve it, and not a name or alias. */
  readonly exact: boolean;
}

/** The number of the page that a link leads to; null if there is none. */
export function resolveLink(db: Database, link: LinkTarget, onPath: string): number | null {
  return resolution(db, link, onPath)?.n ?? null;
}

/** Whether the written link alone leads to this page. A Markdown link must be a path; a wiki link may be a name. */
export function leadsAsWritten(db: Database, link: LinkTarget, onPath: string, page: number): boolean {
  const found = resolution(db, link, onPath);
  return found !== null && found.n === page && (found.exact || link.kind === 'wiki');
}

/**
 * Finds the page with exactly that path (within the folder of the linking page, or from the top); otherwise a page
 * whose path ends with it; otherwise a page with that alias. Of several pages, the one with the shortest path counts. A
 * candidate is used only if no page of the author fits, so that no agent can redirect a link.
 */
export function resolution(db: Database, { kind, target }: LinkTarget, onPath: string): Resolution | null {
  const wanted = plainTarget(target);
  if (wanted === '') return null;
  const relativePath = joinPath(folderOf(onPath), wanted);
  const relativeFirst = kind !== 'wiki' || /^\.\.?\//.test(wanted);
  let candidate: Resolution | null = null;
  for (const path of relativeFirst ? [relativePath, wanted] : [wanted, relativePath]) {
    const row = path === null ? undefined : db.get(pageByPath, path);
    if (row === undefined) continue;
    const found = { n: Number(row['n']), exact: true };
    if (row['lifecycle'] !== 'Candidate') return found;
    candidate ??= found;
  }
  const whole = foldName(wanted);
  for (const row of db.all(pagesByName, linkKey(wanted))) {
    const name = String(row['whole']);
    const fits = name === whole || (row['alias'] === 0 && name.endsWith(`/${whole}`));
    if (!fits) continue;
    const found = { n: Number(row['page']), exact: false };
    return row['lifecycle'] === 'Candidate' ? (candidate ?? found) : found;
  }
  return candidate;
}

const pageByPath = 'SELECT n, lifecycle FROM world_pages WHERE path = ? AND deleted = 0';
const pagesByName = `
  SELECT x.page, x.alias, x.whole, p.lifecycle FROM world_names x JOIN world_pages p ON p.n = x.page
  WHERE x.key = ? ORDER BY p.lifecycle = 'Candidate', x.alias, length(p.path), p.path`;
