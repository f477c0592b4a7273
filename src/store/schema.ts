/**
 * A part of a database, as the list of steps that made it: several rooms keep their tables in one file, each
 * with a schema of its own. A step that was released is never edited: a change is a new step at the end. The
 * number of a step is its place in the list, from 1.
 */
export interface Schema {
  /** Which part it is; never changes. Its tables are its own: only schemas that need it name them. */
  readonly name: string;
  /** Schemas whose tables its steps fill or name; included before it. */
  readonly needs?: readonly Schema[];
  readonly steps: readonly Migration[];
}

export interface Migration {
  /** For people who look into the file. */
  readonly name: string;
  readonly sql: string;
}
