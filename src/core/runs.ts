/** Second entry point of the room: what a run's log amounts to, for viewers. */
export { currentRecord } from './investigation.ts';
export { cellsOf } from './run/cells.ts';
export { overspendNotes, withOverspend } from './run/overspend.ts';
export { progressLines } from './run/progress.ts';
export { reportOf } from './run/report.ts';
export { runState } from './run/state.ts';
export { evidenceOf, type ShownEvidence, traceOf } from './run/trace.ts';
export { type TreeNode, treeOf } from './run/tree.ts';
