/** Everything that a planner with a model needs. Conversations without a model load none of it. */
export { dueCompaction } from '../history/auto-compaction.ts';
export { dialogueOf } from '../history/talk.ts';
export { askPlanner } from './ask-planner.ts';
export { headOf } from './head.ts';
export { toSpoken } from './spoken.ts';
