export { clipLine, createListing, formatCount, partialIfCut } from './bounds.ts';
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
  toLines,
} from './entry.ts';
export {
  checkNames,
  guardTool,
  type OwnTool,
  ownTool,
  requireReadCapability,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from './own-tool.ts';
export { createScope, type Scope } from './scope.ts';
