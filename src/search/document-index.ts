import { mkdirSync } from 'node:fs';
import { type MaskRecipe, scopeMatcher } from '../core/index.ts';
import type {
  DocumentChange,
  DocumentIndex,
  DocumentRequest,
  DocumentSource,
  FollowReport,
} from './documents.ts';
import { addMaskVersion, type Corpus, type IndexSettings } from './lexical/index.ts';
import { collectGarbage, markAsCache } from './lexical/index-files.ts';
import { lockNote, withLock } from './lexical/lock.ts';
import { throwIfCancelled } from './lexical/pausing.ts';
import { type IndexPlace, openIndex, type RefreshTask } from './lexical/read/open-index.ts';
import { IndexReader, type Snapshot } from './lexical/read/reader.ts';
import { type Manifest, readManifest, readWriteTime } from './manifest.ts';
import { type RankingOptions, RankingState } from './ranking/ranking-state.ts';
import type { SearchReply } from './search.ts';
import { searchSnapshot } from './search-snapshot.ts';
import { defaultLimits } from './walk/walk-limits.ts';

export interface DocumentIndexOptions extends RankingOptions {
  readonly source: DocumentSource;
  /** The folder of the index, which is created if missing and holds nothing else. */
  readonly directory: string;
  readonly settings?: IndexSettings;
  /** How secrets are hidden from the index. Absent: they are not hidden. */
  readonly mask?: MaskRecipe;
}

/** Opens the index of a collection of documents. Reads and builds nothing yet. */
export function openDocumentIndex(options: DocumentIndexOptions): DocumentIndex {
  return new DocumentIndexOnDisk(options);
}

class DocumentIndexOnDisk implements DocumentIndex {
  readonly #source: DocumentSource;
  readonly #place: IndexPlace;
  readonly #reader: IndexReader;
  readonly #ranking: RankingState;
  readonly #verified = new Set<string>();
  #following: Promise<unknown> = Promise.resolve();
  /** The documents that the last filter allows, since successive searches often have the same filter. */
  #lastFilter: { corpus: Corpus; key: string; allowed: Uint8Array } | undefined;

  constructor({ source, directory, settings, ...ranking }: DocumentIndexOptions) {
    const { mask } = ranking;
    this.#source = source;
    this.#place = {
      root: source.id,
      directory,
      settings: addMaskVersion(settings, mask),
      limits: defaultLimits,
      mask,
    };
    this.#reader = new IndexReader(directory);
    this.#ranking = new RankingState(source.id, directory, {
      ...ranking,
      readDocument: (path) => source.read(path),
    });
  }

  cursor(): number | null {
    return readCursor(readManifest(this.#place.directory), this.#source.id);
  }

  follow(signal?: AbortSignal): Promise<FollowReport> {
    const next = this.#following.then(() => this.#follow(signal));
    this.#following = next.catch(() => {});
    return next;
  }

  async #follow(signal: AbortSignal | undefined): Promise<FollowReport> {
    const { directory } = this.#place;
    mkdirSync(directory, { recursive: true });
    markAsCache(directory);
    const locked = await withLock(directory, { signal }, () => this.#followLocked(signal));
    if (locked.kind === 'held')
      return this.#reportUnchanged(lockNote(locked.holder, readWriteTime(directory)));
    const report = locked.value;
    const notes = await this.#reader.use(async (snapshot) =>
      snapshot === null ? [] : await this.#ranking.refresh(snapshot, { ...(signal && { signal }) }),
    );
    return Object.freeze({ ...report, notes: [...report.notes, ...notes] });
  }

  #reportUnchanged(note: string): Promise<FollowReport> {
    return this.#reader.use(async (snapshot) => ({
      ...{ cursor: this.cursor() ?? 0, documents: snapshot?.corpus.liveFiles ?? 0 },
      ...{ added: 0, changed: 0, removed: 0, notes: [note] },
    }));
  }

  async #followLocked(signal: AbortSignal | undefined): Promise<FollowReport> {
    // All segments are verified once in the life of this object.
    const first = this.#verified.size === 0;
    const task: RefreshTask = {
      paths: first ? undefined : [],
      tracked: { isUnchanged: false, paths: async () => null },
      signal,
      onProgress: () => {},
      verified: this.#verified,
    };
    const indexBefore = openIndex(this.#place, task);
    try {
      const lastCursor =
        indexBefore.notes.length === 0 ? readCursor(indexBefore.manifest, this.#source.id) : null;
      const head = this.#source.head();
      // If the source's number went back, it is another source, or was restored from a copy: index it anew.
      const from = lastCursor !== null && lastCursor <= head ? lastCursor : null;
      const before =
        from === null ? { ...indexBefore, manifest: null, entries: [], segments: [] } : indexBefore;
      if (from === head) return this.#report(indexBefore.manifest!, { added: 0, changed: 0, removed: 0 }, []);
      const changes = from === null ? this.#source.all() : keepLastChanges(this.#source.changes(from));
      const { writeDocuments } = await import('./write-documents.ts');
      const outcome = await writeDocuments(this.#place, task, { before, changes, cursor: head });
      collectGarbage(this.#place.directory, outcome.manifest);
      return this.#report(outcome.manifest, outcome, indexBefore.notes);
    } finally {
      for (const { segment } of indexBefore.segments) segment.close();
    }
  }

  #report(
    { segments, cursor = 0 }: Manifest,
    { added, changed, removed }: Pick<FollowReport, 'added' | 'changed' | 'removed'>,
    notes: readonly string[],
  ): FollowReport {
    const documents = segments.reduce((sum, { files, dead }) => sum + files - dead.length, 0);
    return { cursor, documents, added, changed, removed, notes };
  }

  search(request: DocumentRequest): Promise<SearchReply> {
    return this.#reader.use(async (snapshot) => {
      throwIfCancelled(request.signal);
      if (snapshot === null) return notIndexedReply;
      return searchSnapshot(snapshot, this.#ranking, request, {
        allowed: this.#selectDocuments(snapshot, request),
        reading: null,
      });
    });
  }

  #selectDocuments({ corpus }: Snapshot, { scope, filter }: DocumentRequest): Uint8Array | null {
    if (filter === undefined && scope === undefined) return null;
    const key = JSON.stringify([scope, filter?.key]);
    if (this.#lastFilter?.corpus !== corpus || this.#lastFilter.key !== key) {
      const inScope = scope === undefined ? () => true : scopeMatcher(scope);
      const matches = (path: string): boolean => inScope(path) && (filter?.matches(path) ?? true);
      this.#lastFilter = { corpus, key, allowed: markDocuments(corpus, matches) };
    }
    return this.#lastFilter.allowed;
  }

  close(): void {
    this.#reader.close();
  }
}

const notIndexedReply: SearchReply = Object.freeze({
  hits: [],
  completeness: 'partial',
  notes: ['Nothing has been indexed yet.'],
});

function readCursor(manifest: Manifest | null, id: string): number | null {
  return manifest === null || manifest.source !== id ? null : (manifest.cursor ?? null);
}

function markDocuments(corpus: Corpus, matches: (path: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: corpus.fileCount }, (_, file) =>
    corpus.dead[file] === 0 && matches(corpus.path(file)) ? 1 : 0,
  );
}

function keepLastChanges(changes: Iterable<DocumentChange>): Iterable<DocumentChange> {
  const last = new Map<string, DocumentChange>();
  for (const change of changes) last.set(change.path, change);
  return last.values();
}
