export { Corpus } from './corpus.ts';
export type { TermGroup, WeightedTerm } from './group-scorer.ts';
export { settingsUnder } from './mask-bytes.ts';
export type { FileScores } from './score-memory.ts';
export { defaultSettings, type IndexSettings } from './settings.ts';
export { type FileRanking, type RankedChunk, topFiles } from './top-files.ts';
