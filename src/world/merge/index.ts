export type { Conflict, MergeResult, Sides } from './merge.ts';
export { mergeBlocks } from './merge-blocks.ts';
