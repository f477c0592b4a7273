/**
 * The entry point for viewers: what the log of a run amounts to, as values and pure functions. Nothing behind it needs Node, so
 * that a page in a browser can fold a log as the server does.
 */
export type {
  Claim,
  ClaimVerdict,
  Evidence,
  IncidentResult,
  LoggedEvent,
  RunEvent,
} from './core/index.ts';
export { runState, type TreeNode, treeOf } from './core/runs.ts';
