/** Second entry point of the room: an index of documents that are not files. */
export { type DocumentIndexOptions, openDocumentIndex } from './document-index.ts';
export { rankingWeights } from './ranking/weights.ts';
