export { defaultSettings, type IndexSettings } from './lexical/index.ts';
export { type RankingWeights, rankingWeights } from './ranking/weights.ts';
export { type ScriptedSearch, type SearchScript, scriptedSearch } from './scripted.ts';
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
} from './search.ts';
export { openTreeIndex, type TreeIndexOptions } from './tree-index.ts';
export { type OpenAiEmbedderOptions, openAiEmbedder } from './vector/openai-embedder.ts';
export {
  type TransformersEmbedderOptions,
  type TransformersModule,
  transformersEmbedder,
} from './vector/transformers-embedder.ts';
