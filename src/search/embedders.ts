/** Second entry point of the room: embedders, which turn texts into vectors. A search by words loads none of it. */
export { openAiEmbedder } from './vector/openai-embedder.ts';
export { transformersEmbedder } from './vector/transformers-embedder.ts';
