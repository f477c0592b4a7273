import type { Database } from '../store/index.ts';
import { askedLifecycle } from './make-write.ts';
import { refuse } from './refusal.ts';
import type { Lifecycle, Origin } from './world.ts';
import type { WorldWrite } from './world-write.ts';

/** In whose name something is done to the rows: what new content gets, and what becomes of what is edited. */
export interface Act {
  readonly now: number;
  /** Of new content. */
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
  readonly source: string;
  /** Kind and name of who writes. */
  readonly writer: string;
  /** An author's edit is what makes content Canonical. */
  readonly author: boolean;
  /** What the author asked for instead. */
  readonly asked: Lifecycle | null;
}

export function actOf(write: WorldWrite, now: number): Act {
  const { caller, origin, lifecycle, origin_source_id } = write;
  return {
    now,
    origin,
    lifecycle,
    source: origin_source_id,
    writer: `${caller.kind}:${caller.name}`,
    author: caller.kind === 'user',
    asked: askedLifecycle(write),
  };
}

/** The lifecycle of content after this act has edited it. */
export function edited(act: Act, current: Lifecycle, id: string): Lifecycle {
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
 * The lifecycle of a page after this act has changed its path or its properties: no word of the author on its text,
 * so a candidate stays one.
 */
export function organized(act: Act, page: { readonly id: string; readonly lifecycle: Lifecycle }): Lifecycle {
  return page.lifecycle === 'Candidate' ? 'Candidate' : edited(act, page.lifecycle, page.id);
}

/** The lifecycle of a page after this act has put content of lifecycle `part` into it, or changed such content. */
export function raised(act: Act, current: Lifecycle, part: Lifecycle): Lifecycle {
  if (part === 'Candidate') return current;
  if (act.author && part === 'Canonical') return 'Canonical';
  return current === 'Candidate' ? part : current;
}

const sourceNumbers = new WeakMap<Act, number>();

/** The number by which rows name where content came from; looked up once for each act. */
export function sourceNumber(db: Database, act: Act): number {
  const known = sourceNumbers.get(act);
  if (known !== undefined) return known;
  const { source } = act;
  const row =
    db.get('SELECT n FROM world_sources WHERE text = ?', source) ??
    db.get('INSERT INTO world_sources (text) VALUES (?) RETURNING n', source)!;
  const n = Number(row['n']);
  sourceNumbers.set(act, n);
  return n;
}
