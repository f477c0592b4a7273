import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { readManifest, writeManifest } from '../manifest.ts';
import { defaultLimits } from '../walk/walk-limits.ts';
import { SegmentBuilder } from './build/builder.ts';
import { writeSegment } from './build/segment-writer.ts';
import { Corpus } from './read/corpus.ts';
import { Segment } from './read/segment.ts';
import { defaultSettings, type IndexSettings } from './settings.ts';
import { noStamp } from './stamp.ts';

/** A text that is not a file on disk, e.g. a row of a data set. */
export interface IndexDocument {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Builds an index of documents in memory; `openSegments` opens it. */
export function indexDocuments(
  directory: string,
  documents: Iterable<IndexDocument>,
  settings: IndexSettings = defaultSettings,
): void {
  mkdirSync(directory, { recursive: true });
  const builder = new SegmentBuilder(settings, 1 << 14);
  let bytes = 0;
  for (const { path, content } of documents) {
    const encoded = typeof content === 'string' ? Buffer.from(content) : content;
    builder.reserve(encoded.length).set(encoded);
    builder.addFile(path, encoded.length, noStamp);
    bytes += encoded.length;
  }
  const name = writeSegment(builder, { directory, generation: 1 });
  writeManifest(directory, {
    generation: 1,
    settings,
    limits: defaultLimits,
    segments: [{ name, files: builder.tables.paths.length, chunks: builder.tables.chunks, dead: [] }],
    tree: '',
    skipped: { ignored: 0, binary: 0, minified: 0, huge: 0, unreadable: 0, linked: 0 },
    bytes,
  });
}

/** Opens the live segments of an index directory. Throws `store_corrupt` if there is no valid index. */
export function openSegments(directory: string): Corpus {
  const manifest = readManifest(directory);
  const opened = manifest?.segments.map(({ name, dead }) => ({
    segment: Segment.open(join(directory, name)),
    dead,
  }));
  const valid = opened?.flatMap(({ segment, dead }) => (segment === null ? [] : [{ segment, dead }]));
  if (manifest === null || valid?.length !== opened?.length || valid === undefined) {
    throw new SondeError('store_corrupt', {
      message: `no sound search index in ${directory}`,
      remedy: 'Remove the directory and index again.',
    });
  }
  return new Corpus(valid, manifest.settings.tokens);
}
