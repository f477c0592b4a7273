/** Port that looks up whether a name occurs anywhere in the material. */
export interface NameFinder {
  /** Searches within `scope` if given. The notes say what could not be searched in time. */
  find(request: {
    readonly names: readonly string[];
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<FoundNames>;
}

export interface FoundNames {
  /** The names that occur in no file, path or commit. */
  readonly missing: readonly string[];
  /** For people: the name occurs only in files that searches skip, or is spelled differently here. */
  readonly notes: readonly string[];
}
