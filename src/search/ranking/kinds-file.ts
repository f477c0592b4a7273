import { join } from 'node:path';
import { readChecksummed, writeChecksummed } from '../checksummed-file.ts';
import type { Snapshot } from '../lexical/read/reader.ts';
import { classifyFiles } from './file-facts.ts';

/**
 * A cache of the files' kinds by segment, in memory and beside the index: classifying them would take most of the time
 * of a first query.
 */
export class SegmentKinds {
  readonly #path: string;
  /** The kinds of the files of each segment, by its name. Undefined until the stored file is read. */
  #kindsBySegment: Map<string, Uint8Array> | undefined;
  /** The names of the segments whose kinds are in the stored file. */
  #savedSegments: ReadonlySet<string> = new Set();

  constructor(directory: string) {
    this.#path = join(directory, 'kinds');
  }

  /** The kind of each file in this state of the index. */
  readKinds({ manifest, corpus }: Snapshot): Uint8Array {
    this.#kindsBySegment ??= this.#read();
    const kinds = new Uint8Array(corpus.fileCount);
    const currentKinds = new Map<string, Uint8Array>();
    let first = 0;
    for (const { name, files } of manifest.segments) {
      // If a segment is damaged, the corpus lacks it, and file numbers differ from the manifest's.
      if (first + files > corpus.fileCount) return classifyFiles(corpus, 0, corpus.fileCount);
      const stored = this.#kindsBySegment.get(name);
      const segmentKinds = stored?.length === files ? stored : classifyFiles(corpus, first, first + files);
      currentKinds.set(name, segmentKinds);
      kinds.set(segmentKinds, first);
      first += files;
    }
    if (first !== corpus.fileCount) return classifyFiles(corpus, 0, corpus.fileCount);
    this.#kindsBySegment = currentKinds;
    return kinds;
  }

  /** Saves the kinds of this state if some are not saved yet. */
  save(snapshot: Snapshot): void {
    this.readKinds(snapshot);
    const entries = [...(this.#kindsBySegment ?? [])];
    if (entries.every(([name]) => this.#savedSegments.has(name))) return;
    this.#savedSegments = new Set(entries.map(([name]) => name));
    const head = entries.map(([name, { length }]) => `${name} ${length}`).join(',');
    writeChecksummed(
      this.#path,
      formatVersion,
      Buffer.concat([Buffer.from(`${head}\n`), ...entries.map(([, kinds]) => kinds)]),
    );
  }

  #read(): Map<string, Uint8Array> {
    const kindsBySegment = new Map<string, Uint8Array>();
    const body = readChecksummed(this.#path, formatVersion);
    if (body === null) return kindsBySegment;
    let offset = body.indexOf(10) + 1;
    for (const entry of body.toString('utf8', 0, Math.max(0, offset - 1)).split(',')) {
      const [name = '', files = ''] = entry.split(' ');
      kindsBySegment.set(name, new Uint8Array(body.subarray(offset, offset + Number(files))));
      offset += Number(files);
    }
    this.#savedSegments = new Set(kindsBySegment.keys());
    return kindsBySegment;
  }
}

/** The format of the stored file. Its version changes when the rules for kinds change. */
const formatVersion = 'sonde-kinds 2';
