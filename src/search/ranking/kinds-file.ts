import { join } from 'node:path';
import { readChecksummed, writeChecksummed } from '../checksummed-file.ts';
import type { Snapshot } from '../lexical/read/reader.ts';
import { classifyFiles } from './file-facts.ts';

/**
 * A cache of the files' kinds by segment, in memory and beside the index: classifying them would take most of the time of
 * a first query.
 */
export class SegmentKinds {
  readonly #path: string;
  /** Kinds by the name of the segment. Undefined until the file is read. */
  #known: Map<string, Uint8Array> | undefined;
  /** The segments that are in the file. */
  #written: ReadonlySet<string> = new Set();

  constructor(directory: string) {
    this.#path = join(directory, 'kinds');
  }

  /** The kind of each file in this state of the index. */
  readKinds({ manifest, corpus }: Snapshot): Uint8Array {
    this.#known ??= this.#read();
    const kinds = new Uint8Array(corpus.fileCount);
    const now = new Map<string, Uint8Array>();
    let first = 0;
    for (const { name, files } of manifest.segments) {
      // If a segment is damaged, the corpus lacks it, and file numbers differ from the manifest's.
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

  /** Saves the kinds of this state if some are not saved yet. */
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

/** The version changes when the rules for kinds change. */
const kind = 'sonde-kinds 2';
