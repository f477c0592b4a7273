import type { Database } from '../../store/index.ts';
import type { Lifecycle, Origin } from '../world.ts';
import type { WorldWrite } from '../world-write.ts';
import { readAskedLifecycle } from './make-write.ts';
import { refuse } from './refusal.ts';

/** Database numbers of sources by their text: a cache for one transaction. */
export type SourceNumbers = Map<string, number>;

/** Who writes and when. It determines the origin and lifecycle of new content, and the lifecycle of edited content. */
export interface Act {
  readonly now: number;
  /** The origin of new content. */
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
  readonly source: string;
  readonly sourceNumbers: SourceNumbers;
  /** Kind and name of the caller, such as `user:ada`. */
  readonly writer: string;
  /** The name of the acting person; empty if the caller is no person. */
  readonly person: string;
  /** True if a person writes: the edits of a person make content Canonical. */
  readonly author: boolean;
  /** The lifecycle that the write requests; null if it requests none. */
  readonly asked: Lifecycle | null;
}

export function createAct(write: WorldWrite, now: number, sourceNumbers: SourceNumbers): Act {
  const { caller, origin, lifecycle, origin_source_id } = write;
  return {
    now,
    origin,
    lifecycle,
    source: origin_source_id,
    sourceNumbers,
    writer: `${caller.kind}:${caller.name}`,
    person: caller.kind === 'user' ? caller.name : '',
    author: caller.kind === 'user',
    asked: readAskedLifecycle(write),
  };
}

/** The lifecycle of content after this act has edited it. */
export function lifecycleAfterEdit(act: Act, current: Lifecycle, id: string): Lifecycle {
  if (!act.author) return current;
  if (act.asked === null || act.asked === 'Canonical') return 'Canonical';
  if (act.asked === current) return current;
  return refuse(
    'lifecycle',
    `${id} is ${current} and cannot become ${act.asked}: the only step is to Canonical.`,
    'Leave the lifecycle out, or write new content.',
    { content_id: id, from: current, to: act.asked },
  );
}

/**
 * The lifecycle of a page after this act has changed its path or properties. A candidate page stays a candidate,
 * since nobody has accepted its text.
 */
export function lifecycleAfterMove(
  act: Act,
  page: { readonly id: string; readonly lifecycle: Lifecycle },
): Lifecycle {
  return page.lifecycle === 'Candidate' ? 'Candidate' : lifecycleAfterEdit(act, page.lifecycle, page.id);
}

/** The lifecycle of a page after this act has added or changed content with the lifecycle `partLifecycle` in it. */
export function lifecycleAfterPart(act: Act, current: Lifecycle, partLifecycle: Lifecycle): Lifecycle {
  if (partLifecycle === 'Candidate') return current;
  if (act.author && partLifecycle === 'Canonical') return 'Canonical';
  return current === 'Candidate' ? partLifecycle : current;
}

/** The number of the act's source in the database. A new source gets a new number. */
export function ensureSourceNumber(db: Database, { source, sourceNumbers }: Act): number {
  const known = sourceNumbers.get(source);
  if (known !== undefined) return known;
  const row = db.get('SELECT n FROM world_sources WHERE text = ?', source);
  const n =
    row === undefined ? db.insert('INSERT INTO world_sources (text) VALUES (?)', source) : Number(row['n']);
  sourceNumbers.set(source, n);
  return n;
}
