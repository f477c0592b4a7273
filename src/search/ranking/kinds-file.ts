import { join } from 'node:path';
import { readChecksummed, writeChecksummed } from '../checksummed-file.ts';
import type { Snapshot } from '../lexical/read/reader.ts';
import { classifyFiles } from './file-facts.ts';

/**
 * The kinds of files by segment, in memory and beside the index: finding them again would be the longest part
 * of a first query, or of one after a small change.
 */
export class SegmentKinds {
  readonly #path: string;
  /** By the name of the segment. Undefined until the file is read. */
  #known: Map<string, Uint8Array> | undefined;
  /** Segments that the file speaks of. */
  #written: ReadonlySet<string> = new Set();

  constructor(directory: string) {
    this.#path = join(directory, 'kinds');
  }

  /** For each file in this state of the index. */
  readKinds({ manifest, corpus }: Snapshot): Uint8Array {
    this.#known ??= this.#read();
    const kinds = new Uint8Array(corpus.fileCount);
    const now = new Map<string, Uint8Array>();
    let first = 0;
    for (const { name, files } of manifest.segments) {
      // A segment that is damaged is not in the corpus, and then the numbers are not those of the manifest.
      if (first + files > corpus.fileCount) return classifyFiles(corpus, 0, corpus.fileCount);
      const stored = this.#known.get(name);
      const here = stored?.length === files ? stored : classifyFiles(corpus, first, first + files);
      now.set(name, here);
      kinds.set(here, first);
      first += files;
    }
    if (first !== corpus.fileCount) return classifyFiles(corpus, 0, corpus.fileCount);
    this.#known = now;
    return kinds;
  }

  /** Writes down the kinds of this state, where they are not written yet. */
  save(snapshot: Snapshot): void {
    this.readKinds(snapshot);
    const entries = [...(this.#known ?? [])];
    if (entries.every(([name]) => this.#written.has(name))) return;
    this.#written = new Set(entries.map(([name]) => name));
    const head = entries.map(([name, { length }]) => `${name} ${length}`).join(',');
    writeChecksummed(
      this.#path,
      kind,
      Buffer.concat([Buffer.from(`${head}\n`), ...entries.map(([, kinds]) => kinds)]),
    );
  }

  #read(): Map<string, Uint8Array> {
    const known = new Map<string, Uint8Array>();
    const body = readChecksummed(this.#path, kind);
    if (body === null) return known;
    let at = body.indexOf(10) + 1;
    for (const entry of body.toString('utf8', 0, Math.max(0, at - 1)).split(',')) {
      const [name = '', files = ''] = entry.split(' ');
      known.set(name, new Uint8Array(body.subarray(at, at + Number(files))));
      at += Number(files);
    }
    this.#written = new Set(known.keys());
    return known;
  }
}

/** The version changes with the rules that decide kinds. */
const kind = 'sonde-kinds 2';
