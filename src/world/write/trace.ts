import type { ContentFields, ContentId } from '../world.ts';

/** Collects the changes of a write, for its event. */
export interface Trace {
  /** Records the changed fields of a page or block. `before` is null if it is new. */
  note(id: ContentId, before: ContentFields | null, after: ContentFields): void;
  /** Adds an id to the ids that are returned to the submitter, in order. */
  result(id: ContentId): void;
  /** Adds a page whose history gets this write. */
  touch(page: number): void;
  /** Marks content as changed, so that content that derives from it gets a flag. */
  markChanged(id: ContentId): void;
  /** Records content that derives from the sources of the write. `fresh`: true if this write created it. */
  markDerived(id: ContentId, fresh: boolean): void;

  readonly before: ReadonlyMap<ContentId, ContentFields>;
  readonly after: ReadonlyMap<ContentId, ContentFields>;
  readonly results: readonly ContentId[];
  readonly pages: ReadonlySet<number>;
  readonly sourcesChanged: ReadonlySet<ContentId>;
  readonly derivedContent: ReadonlyMap<ContentId, boolean>;
}

export function openTrace(): Trace {
  const before = new Map<ContentId, ContentFields>();
  const after = new Map<ContentId, ContentFields>();
  const results: ContentId[] = [];
  const pages = new Set<number>();
  const sourcesChanged = new Set<ContentId>();
  const derivedContent = new Map<ContentId, boolean>();
  return {
    note(id, was, is) {
      // If a field is noted twice, its first `before` and its last `after` are kept.
      if (was !== null) before.set(id, { ...was, ...before.get(id) });
      const earlierFields = after.get(id);
      if (earlierFields === undefined) {
        after.set(id, is);
        return;
      }
      const sources = [...(earlierFields.derived_from ?? []), ...(is.derived_from ?? [])];
      after.set(id, { ...earlierFields, ...is, ...(sources.length > 0 && { derived_from: sources }) });
    },
    result: (id) => results.push(id),
    touch: (page) => pages.add(page),
    markChanged: (id) => sourcesChanged.add(id),
    markDerived: (id, fresh) => derivedContent.set(id, fresh),
    before,
    after,
    results,
    pages,
    sourcesChanged,
    derivedContent,
  };
}
