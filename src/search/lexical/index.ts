export { addMaskVersion } from './mask-bytes.ts';
export { Corpus } from './read/corpus.ts';
export type { TermGroup, WeightedTerm } from './read/group-scorer.ts';
export type { FileScores } from './read/score-memory.ts';
export { type FileRanking, type RankedChunk, topFiles } from './read/top-files.ts';
export { defaultSettings, type IndexSettings } from './settings.ts';
