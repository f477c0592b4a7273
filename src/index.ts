/**
 * The main entry point of Sonde as a library: the commands as functions, and the types that they take and return.
 *
 * ```ts
 * import { ask } from 'sonde';
 * const { answer, citations } = await ask('How are failed deliveries retried?', { root: '.' });
 * ```
 *
 * `sonde/signals` opens the systems that an incident queries; `sonde/langgraph` has graphs for LangGraph.
 */

export {
  type Chat,
  type Conversation,
  chat,
  type Message,
  type MessageOptions,
  type Question,
  type Standing,
  type Turn,
} from './app/library/chat.ts';
export type {
  McpServer,
  McpTransport,
} from './app/library/mcp-servers.ts';
export type { OwnModel, OwnParts, ResumeOptions, RunOptions } from './app/library/options.ts';
export { type PythonSandbox, type SandboxAsked, sandbox } from './app/library/sandbox.ts';
export {
  type PageTextHit,
  type Workspace,
  type WorkspaceOptions,
  type Write,
  workspace,
} from './app/library/workspace.ts';
export {
  type AskOptions,
  ask,
  type Incident,
  type Investigate,
  incident,
  investigate,
  type RunKinds,
  replay,
  resume,
  run,
  type Search,
  search,
  type VerifiedClaim,
  type Verify,
  type VerifyAnswer,
  verify,
  verifyAnswer,
} from './app/library.ts';
export type { TextHit } from './app/search/hit-text.ts';
export {
  done,
  type EntryResult as ToolResult,
  failed,
  type OwnTool,
  ownTool as tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from './catalogue/index.ts';
export {
  type Caller,
  type CheckedIncident,
  type Citation,
  type CitationClaim,
  type CitationStatus,
  type Coverage,
  type ErrorCode,
  type IncidentResult,
  type InvestigationResult,
  type LoggedEvent,
  type RunEvent,
  type RunResult,
  type Signal,
  SondeError,
  type StopReason,
  type Verification,
} from './core/index.ts';
export type {
  AnswerCitationStatus,
  ClaimFlag,
  ClaimVerdict,
  GivenAnswer,
  VerifiedAnswer,
  VerifiedAnswerClaim,
} from './gate/index.ts';
export {
  type AiSdkModel,
  type DialogueReply,
  type DialogueRequest,
  type Model,
  type ModelFailure,
  type ModelReply,
  type ModelRequest,
  scriptedModel,
  type Usage,
} from './model/index.ts';
export type {
  CellOptions,
  CellResult,
  CellValue,
  GuestError,
  KillCause,
  LimitHit,
  Limits,
  Operation,
  Operations,
  Output,
  Value,
} from './sandbox/index.ts';
export type { McpClient } from './signals/index.ts';
export type {
  AcceptedWrite,
  Deviation,
  InboxItem,
  Page,
  PageText,
  RefusedWrite,
  SubmitResult,
  World,
  WorldOperation,
} from './world/index.ts';
