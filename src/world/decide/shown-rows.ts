/**
 * Records the content that a person was shown and that waits for a decision, until the decision is made. A decision is
 * refused if its content was never shown, or has changed since.
 */

import { hash } from 'node:crypto';
import type { Database } from '../../store/index.ts';
import { readableDiff } from '../read/diff.ts';
import { pageText } from '../read/page-text.ts';
import { renderText } from '../rows/link-rows.ts';
import type { BlockRow, PageRow } from '../rows/rows.ts';
import type { ContentId } from '../world.ts';
import { refuse } from '../write/refusal.ts';
import type { UnitOfWork } from '../write/unit-of-work.ts';

/** One content to decide on, in its state at one time. */
export interface ShownContent {
  readonly id: string;
  readonly revision: number;
  /** The text that is printed. */
  readonly text: string;
  /**
   * Everything that `state` is computed from, as a text. The difference between two of these texts shows each change
   * that makes a decision stale.
   */
  readonly whole: string;
  /** A hash. It is equal as long as nothing has changed that a decision would make Canonical. */
  readonly state: string;
}

/**
 * The value of `person` for imported text, which counts as shown to everybody, since it is the text of a file.
 */
export const everybody = '';

export const stateOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts));

export function blockAsShown(db: Database, block: BlockRow, page: PageRow): ShownContent {
  const text = renderText(db, block, page.path);
  return { id: block.id, revision: block.revision, text, whole: text, state: stateOf([text]) };
}

/** A whole page: path, front matter, and every block. */
export function pageAsShown(db: Database, page: PageRow): ShownContent {
  const text = pageText(db, page, 'all');
  const whole = `[${page.path}]\n${text}`;
  return { id: page.id, revision: page.revision, text, whole, state: stateOf([page.path, text]) };
}

/** Only the path and the front matter of a page. They become Canonical with the first block that is promoted. */
export function headAsShown(page: PageRow): ShownContent {
  const { id, path, front, revision } = page;
  const whole = `[${path}]\n${front}`;
  return { id: `head:${id}`, revision, text: front, whole, state: stateOf([path, front]) };
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

/** Forgets what was shown of content, when it has been decided on. */
export function forgetShown(db: Database, id: ContentId): void {
  db.run('DELETE FROM world_shown WHERE content IN (?, ?)', id, `head:${id}`);
}

/**
 * Throws a refusal if the acting person was not shown this state. `revision`: the one that the person named, if any.
 */
export function requireShown({ db, act }: UnitOfWork, now: ShownContent, revision?: number): void {
  const rows = db
    .all(
      `SELECT revision, state, text FROM world_shown WHERE content = ?1 AND person IN (?2, ?3)
       ORDER BY revision DESC, at DESC`,
      now.id,
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
  if (namedRow?.state === now.state && (revision === undefined || revision === now.revision)) return;
  if (revision !== undefined && revision > now.revision) refuseUnknownRevision(now, revision);
  refuseStale(now, namedRow ?? newest ?? null);
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

/** Throws the refusal, with the difference between the shown and the present state. */
export function refuseStale(
  now: ShownContent,
  shown: Pick<ShownContent, 'revision' | 'whole'> | null,
): never {
  const id = now.id.replace(/^head:/, '');
  return refuse(
    'stale',
    shown === null
      ? `${id} was not shown to you as it is: revision ${now.revision}.`
      : `${id} is not what was shown to you: you saw revision ${shown.revision}, and it is now ${now.revision}.`,
    'Look at it whole, in the inbox or with its page, and decide then.',
    {
      id,
      shown: shown?.revision ?? null,
      now: now.revision,
      diff: difference(shown?.whole ?? null, now),
    },
  );
}

/**
 * The difference between the state that was shown and the present state. The path of a page is left out if it is
 * unchanged.
 */
function difference(shown: string | null, { id, whole }: ShownContent): string {
  if (/^(?:bl|dv)-/.test(id)) return readableDiff(shown, whole);
  const path = whole.slice(0, whole.indexOf('\n') + 1);
  if (shown?.startsWith(path) === false) return readableDiff(shown, whole);
  return readableDiff(shown?.slice(path.length) ?? null, whole.slice(path.length));
}
