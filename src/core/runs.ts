/** Second entry point of the room: views of a run's log. */
export { currentRecord } from './investigation.ts';
export { formatCells } from './run/cells.ts';
export { addOverspendNotes, listOverspendNotes } from './run/overspend.ts';
export { createProgressFormatter } from './run/progress.ts';
export { formatReport } from './run/report.ts';
export { runState } from './run/state.ts';
export { buildTrace, listEvidence, type ShownEvidence } from './run/trace.ts';
export { type TreeNode, treeOf } from './run/tree.ts';
