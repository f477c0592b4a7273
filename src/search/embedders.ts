/** Second entry point of the room: embedders, which turn texts into vectors. A search by words does not load them. */
export { openAiEmbedder } from './vector/openai-embedder.ts';
export { transformersEmbedder } from './vector/transformers-embedder.ts';
