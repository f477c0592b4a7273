export { clip, count, listing, partialIfCut } from './bounds.ts';
export type { CodeContext, CodePorts, PathReply } from './code/code-ports.ts';
export {
  type AnyContext,
  type CallContext,
  type ClaimedSpan,
  done,
  type Entry,
  type EntryContext,
  type EntryDefinition,
  type EntryDone,
  type EntryFailed,
  type EntryOutput,
  type EntryResult,
  entry,
  failed,
  linesOf,
} from './entry.ts';
export {
  checkNames,
  guardedTool,
  type OwnTool,
  ownTool,
  requireReadCapability,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from './own-tool.ts';
export { type Scope, scopeOf } from './scope.ts';
