import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, manifestPath, readManifest } from '../../manifest.ts';
import { Corpus } from './corpus.ts';
import { Segment } from './segment.ts';

/** One state of the index. Its segments stay open until it is released. */
export interface Snapshot {
  readonly corpus: Corpus;
  readonly manifest: Manifest;
  /** Problems of the index, for people. */
  readonly notes: readonly string[];
}

interface HeldSnapshot {
  readonly snapshot: Snapshot;
  readonly segments: readonly OpenSegment[];
  holders: number;
}

interface OpenSegment {
  readonly name: string;
  readonly segment: Segment;
  holders: number;
}

/** Attempts to open a manifest's segments. A refresh may remove them meanwhile; then there is a newer manifest. */
const maxAttempts = 5;

/**
 * Reads an index that other processes may change: each `use` gets the newest state and keeps it, even if it is replaced
 * meanwhile. Segments that two states share stay open.
 */
export class IndexReader {
  readonly #directory: string;
  readonly #open = new Map<string, OpenSegment>();
  #current: HeldSnapshot | null = null;
  /** Identifies the manifest that `#current` was read from. */
  #seen = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Calls `work` with the newest state, or with null if there is no index yet. */
  async use<T>(work: (snapshot: Snapshot | null) => T | Promise<T>): Promise<T> {
    const held = this.#readLatest();
    if (held === null) return work(null);
    held.holders++;
    try {
      return await work(held.snapshot);
    } finally {
      this.#release(held);
    }
  }

  close(): void {
    const held = this.#current;
    this.#current = null;
    this.#seen = '';
    if (held !== null) this.#release(held);
  }

  #readLatest(): HeldSnapshot | null {
    const stat = statSync(manifestPath(this.#directory), { throwIfNoEntry: false });
    const seen = stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.size}`;
    if (seen !== this.#seen) {
      const next = this.#load();
      const previous = this.#current;
      this.#current = next;
      this.#seen = next === null ? '' : seen;
      if (previous !== null) this.#release(previous);
    }
    return this.#current;
  }

  #load(): HeldSnapshot | null {
    for (let attempt = 1; ; attempt++) {
      const manifest = readManifest(this.#directory);
      if (manifest === null) return null;
      const notes: string[] = [];
      const segments: OpenSegment[] = [];
      const live = manifest.segments.flatMap(({ name, dead }) => {
        const open = this.#openSegment(name);
        if (open === null) {
          notes.push(`The index segment ${name} is missing or damaged; index again to repair it.`);
          return [];
        }
        segments.push(open);
        return [{ segment: open.segment, dead }];
      });
      if (notes.length === 0 || attempt === maxAttempts) {
        const corpus = new Corpus(live, manifest.settings.tokens);
        return { snapshot: { corpus, manifest, notes }, segments, holders: 1 };
      }
      for (const open of segments) this.#drop(open);
    }
  }

  #openSegment(name: string): OpenSegment | null {
    let open = this.#open.get(name);
    if (open === undefined) {
      const segment = Segment.open(join(this.#directory, name));
      if (segment === null) return null;
      open = { name, segment, holders: 0 };
      this.#open.set(name, open);
    }
    open.holders++;
    return open;
  }

  #release(held: HeldSnapshot): void {
    if (--held.holders === 0) for (const open of held.segments) this.#drop(open);
  }

  #drop(open: OpenSegment): void {
    if (--open.holders > 0) return;
    this.#open.delete(open.name);
    open.segment.close();
  }
}
