import type { ContentFields, ContentId } from '../world.ts';

/** Collects the changes of a write, for its event. */
export interface Trace {
  /** Records the changed fields of one content. `before` is null if the content is new. */
  note(id: ContentId, before: ContentFields | null, after: ContentFields): void;
  /** Adds an id to the ids that are returned to the submitter, in order. */
  result(id: ContentId): void;
  /** Adds a page whose history gets this write. */
  touch(page: number): void;
  /** Marks content as changed, so that content that derives from it gets a flag. */
  markChanged(id: ContentId): void;
  /** Records content that derives from the write's sources. `fresh`: this write created it. */
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
      // Of a field that is noted twice, the first `before` and the last `after` are kept.
      if (was !== null) before.set(id, { ...was, ...before.get(id) });
      const until = after.get(id);
      if (until === undefined) {
        after.set(id, is);
        return;
      }
      const sources = [...(until.derived_from ?? []), ...(is.derived_from ?? [])];
      after.set(id, { ...until, ...is, ...(sources.length > 0 && { derived_from: sources }) });
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
