/** Finds the runs that a workspace refers to, which `sonde prune` keeps. */
import type { Database } from '../../store/index.ts';

export interface ReferencedRuns {
  /** Ids of runs that are named in content, its history or a deviation. */
  readonly runs: ReadonlySet<string>;
  /** Ids of conversations that wrote something. `sonde prune` also keeps the runs that they read from. */
  readonly threads: ReadonlySet<string>;
}

const runTexts = `
  SELECT text FROM world_sources UNION SELECT source FROM world_events UNION SELECT created_by FROM world_derivations
  UNION SELECT source FROM world_derivations UNION SELECT submitted FROM world_deviations`;

/** Both sets are empty if the database has no world. */
export function findReferencedRuns(db: Database): ReferencedRuns {
  const runs = new Set<string>();
  const threads = new Set<string>();
  if (db.get("SELECT 1 FROM sqlite_schema WHERE name = 'world_events'") !== undefined) {
    for (const { text } of db.each(runTexts))
      for (const [id] of String(text).matchAll(/\brun-[0-9a-z]+/g)) runs.add(id);
    for (const { thread } of db.each('SELECT DISTINCT thread FROM world_events WHERE thread IS NOT NULL'))
      threads.add(String(thread));
  }
  return { runs, threads };
}
