/**
 * A part of a database, as a list of migration steps: several rooms keep their tables in one file, each with its own
 * schema. A released step is never edited: a change is a new step at the end. The number of a step is its place in
 * the list, from 1.
 */
export interface Schema {
  /** Its name; never changes. Only schemas that need it may name its tables. */
  readonly name: string;
  /** Schemas whose tables its steps fill or reference; included before it. */
  readonly needs?: readonly Schema[];
  readonly steps: readonly Migration[];
}

export interface Migration {
  /** For people who inspect the file. */
  readonly name: string;
  readonly sql: string;
}
