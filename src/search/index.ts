export { readChecksummed, writeChecksummed } from './checksummed-file.ts';
export { decode, detectEncoding } from './decoding.ts';
export type {
  DocumentChange,
  DocumentIndex,
  DocumentRequest,
  DocumentSource,
  FollowReport,
  IndexedDocument,
} from './documents.ts';
export { defaultSettings } from './lexical/index.ts';
export { readIndexedRoot } from './manifest.ts';
export { type RankingWeights, rankingWeights } from './ranking/weights.ts';
export type {
  Embedder,
  HistoryReader,
  IndexProgress,
  IndexReport,
  PastCommit,
  RefreshOptions,
  Respelling,
  SearchHit,
  SearchIndex,
  SearchReply,
  SearchRequest,
  SkippedFiles,
  UnusualFiles,
} from './search.ts';
export { openTreeIndex, type TreeIndexOptions } from './tree-index.ts';
export {
  addFolderRules,
  type IgnoreRules,
  isIgnored,
  readRulesAbove,
} from './walk/walk-ignore.ts';
