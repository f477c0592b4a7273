export type { Conflict, Merged, Sides } from './merge.ts';
export { mergeBlocks } from './merge-blocks.ts';
