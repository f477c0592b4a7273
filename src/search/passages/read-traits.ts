import type { LineSpan } from '../../core/index.ts';
import { type FilePorts, readBestFiles } from './find-passages.ts';
import type { PassageTraits } from './learned.ts';
import { computeTraits } from './passages.ts';
import type { Candidate } from './reading.ts';

/** The traits of a file's passages, from which the weights are learned. */
interface ReadTraits {
  readonly path: string;
  readonly passages: () => readonly { readonly span: LineSpan; readonly traits: PassageTraits }[];
}

export function readTraits(
  query: string,
  candidates: readonly Candidate[],
  ports: FilePorts,
): readonly ReadTraits[] {
  const { readings, words, gains } = readBestFiles(query, candidates, ports);
  return readings.map((reading) => ({
    path: reading.candidate.path,
    passages: () => computeTraits(reading, words, gains),
  }));
}
