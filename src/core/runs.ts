/** Second entry point of the room: views of a run's log. */
export { currentRecord } from './investigation.ts';
export { cellsOf } from './run/cells.ts';
export { overspendNotes, withOverspend } from './run/overspend.ts';
export { progressLines } from './run/progress.ts';
export { reportOf } from './run/report.ts';
export { runState } from './run/state.ts';
export { evidenceOf, type ShownEvidence, traceOf } from './run/trace.ts';
export { type TreeNode, treeOf } from './run/tree.ts';
