/** Finds the runs that a workspace refers to: `sonde prune` keeps these. */
import type { Database } from '../../store/index.ts';

export interface RunsBehind {
  /** Ids of the runs that content, its history or an open deviation names. */
  readonly runs: ReadonlySet<string>;
  /** Conversations that wrote something. The runs that they read from are kept as well. */
  readonly threads: ReadonlySet<string>;
}

const runTexts = `
  SELECT text FROM world_sources UNION SELECT source FROM world_events UNION SELECT created_by FROM world_derivations
  UNION SELECT source FROM world_derivations UNION SELECT submitted FROM world_deviations`;

/** Empty if the database has no world. */
export function runsBehind(db: Database): RunsBehind {
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
