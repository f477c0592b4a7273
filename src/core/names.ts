/** Port that looks up whether a name occurs anywhere in the material. */
export interface NameFinder {
  /** Only within `scope`, where one is given. The notes say what could not be searched in time. */
  find(request: {
    readonly names: readonly string[];
    readonly scope?: string;
    readonly signal?: AbortSignal;
  }): Promise<FoundNames>;
}

export interface FoundNames {
  /** The names that occur in no file, path or commit. */
  readonly missing: readonly string[];
  /** For people: a name that only occurs in files that searches leave out, or that is spelled otherwise here. */
  readonly notes: readonly string[];
}
