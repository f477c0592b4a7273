export { clip, count, listing, partialIfCut } from './bounds.ts';
export type { CodeContext, CodePorts, PathReply } from './code/code-ports.ts';
export {
  type AnyContext,
  type CallContext,
  type Collected,
  done,
  type Entry,
  type EntryContext,
  type EntryDefinition,
  type EntryDone,
  type EntryFailed,
  type EntryResult,
  entry,
  type Find,
  failed,
  linesOf,
} from './entry.ts';
export {
  checkNames,
  checkReading,
  guardedTool,
  type OwnTool,
  ownTool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from './own-tool.ts';
export { type Scope, scopeOf } from './scope.ts';
