/** Port to whoever can tell whether a name occurs anywhere in the material. */
export interface NameFinder {
  /** Within `scope` only, where one is given. What could not be looked through in time is told in the notes. */
  find(request: {
    readonly names: readonly string[];
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<FoundNames>;
}

export interface FoundNames {
  /** Of the names, those that occur in no file, path or commit. */
  readonly missing: readonly string[];
  /** For people: a name that is met only in what is left out of searches, or that is written otherwise here. */
  readonly notes: readonly string[];
}
