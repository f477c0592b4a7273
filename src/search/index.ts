export { decode, encodingOf } from './decoding.ts';
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
export { readSealed, writeSealed } from './sealed-file.ts';
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
export { type IgnoreRules, isIgnored, rulesAbove, rulesWithin } from './walk/walk-ignore.ts';
