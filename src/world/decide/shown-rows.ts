/**
 * Records which content was shown to a person, until a decision on it is made. A decision is refused if its content was
 * not shown, or has changed since.
 */

import { hash } from 'node:crypto';
import type { Database } from '../../store/index.ts';
import { formatDiff } from '../read/diff.ts';
import { renderPage } from '../read/page-text.ts';
import { renderText } from '../rows/link-rows.ts';
import type { BlockRow, PageRow } from '../rows/rows.ts';
import type { ContentId } from '../world.ts';
import { refuse } from '../write/refusal.ts';
import type { UnitOfWork } from '../write/unit-of-work.ts';

/** A page, block or deviation to decide on, in its state at one time. */
export interface ShownContent {
  readonly id: string;
  readonly revision: number;
  /** The text that is printed. */
  readonly text: string;
  /** Everything that `state` is computed from, as text, so that the difference of two states can be printed. */
  readonly whole: string;
  /** A hash of everything that a decision would make Canonical. */
  readonly state: string;
}

/** The person to whom imported text is recorded as shown: it counts as shown to everybody. */
export const everybody = '';

export const hashState = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts));

export function toShownBlock(db: Database, block: BlockRow, page: PageRow): ShownContent {
  const text = renderText(db, block, page.path);
  return { id: block.id, revision: block.revision, text, whole: text, state: hashState([text]) };
}

/** A whole page: path, front matter, and every block. */
export function toShownPage(db: Database, page: PageRow): ShownContent {
  const text = renderPage(db, page, 'all');
  const whole = `[${page.path}]\n${text}`;
  return { id: page.id, revision: page.revision, text, whole, state: hashState([page.path, text]) };
}

/** The path and the front matter of a page, which become Canonical with its first promoted block. */
export function toShownHead(page: PageRow): ShownContent {
  const { id, path, front, revision } = page;
  const whole = `[${path}]\n${front}`;
  return { id: `head:${id}`, revision, text: front, whole, state: hashState([path, front]) };
}

export function recordShown(
  db: Database,
  person: string,
  { id, revision, whole, state }: ShownContent,
  now: number,
): void {
  db.run(
    `INSERT INTO world_shown (person, content, revision, state, text, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (person, content, revision) DO UPDATE SET state = excluded.state, text = excluded.text, at = excluded.at`,
    person,
    id,
    revision,
    state,
    whole,
    now,
  );
}

/** Forgets that content was shown, after a decision on it. */
export function forgetShown(db: Database, id: ContentId): void {
  db.run('DELETE FROM world_shown WHERE content IN (?, ?)', id, `head:${id}`);
}

/**
 * Throws a refusal if this state was not shown to the acting person. `revision`: the revision that the person named.
 */
export function requireShown({ db, act }: UnitOfWork, present: ShownContent, revision?: number): void {
  const rows = db
    .all(
      `SELECT revision, state, text FROM world_shown WHERE content = ?1 AND person IN (?2, ?3)
       ORDER BY revision DESC, at DESC`,
      present.id,
      act.person,
      everybody,
    )
    .map((row) => ({
      revision: Number(row['revision']),
      state: String(row['state']),
      whole: String(row['text']),
    }));
  const [newest] = rows;
  const namedRow = revision === undefined ? newest : rows.find((row) => row.revision === revision);
  if (namedRow?.state === present.state && (revision === undefined || revision === present.revision)) return;
  if (revision !== undefined && revision > present.revision) refuseUnknownRevision(present, revision);
  refuseStale(present, namedRow ?? newest ?? null);
}

function refuseUnknownRevision(
  { id: shownId, revision: presentRevision }: ShownContent,
  revision: number,
): never {
  const id = shownId.replace(/^head:/, '');
  return refuse(
    'stale',
    `${id} has no revision ${revision}: its present revision is ${presentRevision}.`,
    'Name the revision that was shown to you, or none.',
    { id, shown: revision, now: presentRevision },
  );
}

/** Throws a refusal that contains the difference between the shown and the present state. */
export function refuseStale(
  present: ShownContent,
  shown: Pick<ShownContent, 'revision' | 'whole'> | null,
): never {
  const id = present.id.replace(/^head:/, '');
  return refuse(
    'stale',
    shown === null
      ? `Revision ${present.revision} of ${id} was not shown to you.`
      : `${id} has changed since it was shown to you: you saw revision ${shown.revision}, and it is now ${present.revision}.`,
    'Read it in full, in the inbox or with its page, and decide then.',
    {
      id,
      shown: shown?.revision ?? null,
      now: present.revision,
      diff: formatDifference(shown?.whole ?? null, present),
    },
  );
}

/** The difference between the shown and the present state, for people. An unchanged path is left out. */
function formatDifference(shown: string | null, { id, whole }: ShownContent): string {
  if (/^(?:bl|dv)-/.test(id)) return formatDiff(shown, whole);
  const path = whole.slice(0, whole.indexOf('\n') + 1);
  if (shown?.startsWith(path) === false) return formatDiff(shown, whole);
  return formatDiff(shown?.slice(path.length) ?? null, whole.slice(path.length));
}
