export { decoded } from './decoding.ts';
export { definitionSearch } from './definition-search.ts';
export { type DocumentIndexOptions, openDocumentIndex } from './document-index.ts';
export type {
  DocumentChange,
  DocumentIndex,
  DocumentRequest,
  DocumentSource,
  FollowReport,
  IndexedDocument,
} from './documents.ts';
export { defaultSettings } from './lexical/index.ts';
export { indexedRoot } from './manifest.ts';
export { type RankingWeights, rankingWeights } from './ranking/weights.ts';
export { readSealed, writeSealed } from './sealed-file.ts';
export type {
  Embedder,
  HistoryReader,
  IndexProgress,
  IndexReport,
  PastCommit,
  RefreshOptions,
  SearchHit,
  SearchIndex,
  SearchReply,
  SearchRequest,
  Skipped,
  UnusualFiles,
} from './search.ts';
export { openTreeIndex, type TreeIndexOptions } from './tree-index.ts';
export { openAiEmbedder } from './vector/openai-embedder.ts';
export { transformersEmbedder } from './vector/transformers-embedder.ts';
export { type IgnoreRules, isIgnored, rulesAbove, rulesWithin } from './walk-ignore.ts';
