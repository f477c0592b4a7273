export { Corpus, type TermGroup, type WeightedTerm } from './corpus.ts';
export { type IndexDocument, indexDocuments, openSegments } from './documents.ts';
export {
  type FilePriors,
  type FileRanking,
  type Ranked,
  rankFiles,
  topFiles,
} from './rank.ts';
export {
  type Bm25,
  defaultBm25,
  defaultSettings,
  type FieldWeights,
  type IndexSettings,
} from './settings.ts';
