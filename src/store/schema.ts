/**
 * The tables of one room in a database file, as a list of migration steps; several rooms share a file. A released step
 * is never edited: a change is a new step at the end. Steps are numbered from 1.
 */
export interface Schema {
  /** A name that never changes. Only schemas that list this one in `needs` may use its tables. */
  readonly name: string;
  /** Schemas whose tables the steps use; they are included first. */
  readonly needs?: readonly Schema[];
  readonly steps: readonly Migration[];
}

export interface Migration {
  /** For people who inspect the file. */
  readonly name: string;
  readonly sql: string;
}
