/**
 * The public door of Sonde as a library.
 *
 * ```ts
 * import { ask } from 'sonde';
 * const { answer, citations } = await ask('How are failed deliveries retried?', { root: '.' });
 * ```
 */

export type { TextHit } from './app/hit-text.ts';
export {
  type Again,
  type Ask,
  ask,
  type Incident,
  type Investigate,
  incident,
  investigate,
  type OwnModel,
  type RunKinds,
  type RunOptions,
  replay,
  resume,
  run,
  type Search,
  search,
  type VerifiedClaim,
  type Verify,
  verify,
  verifyAnswer,
} from './app/library.ts';
export { author, type OpenWorkspace, openWorkspace } from './app/world.ts';
export {
  type CodeContext,
  done,
  type Entry,
  type EntryDefinition,
  type EntryResult,
  entry as tool,
  failed,
  linesOf,
} from './catalogue/index.ts';
export { gitHistory } from './code/index.ts';
export {
  type Caller,
  type Citation,
  type CitationClaim,
  type CitationStatus,
  type Coverage,
  type ErrorCode,
  type IncidentResult,
  type InvestigationResult,
  isSondeError,
  type LoggedEvent,
  openPool,
  type RunEvent,
  type RunResult,
  type Signal,
  SondeError,
  type StopReason,
  systemClock,
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
  type AiSdkOptions,
  aiSdkModel,
  type DialogueReply,
  type DialogueRequest,
  type Model,
  type ModelFailure,
  type ModelReply,
  type ModelRequest,
  scriptedModel,
  type Usage,
} from './model/index.ts';
export {
  type CellOptions,
  type CellResult,
  type CellValue,
  createSandbox,
  type GuestError,
  type KillCause,
  type LimitHit,
  type Limits,
  type Operation,
  type Operations,
  type Output,
  type Sandbox,
  type SandboxHealth,
  type SandboxOptions,
  type Session,
  type SessionOptions,
  Special,
  type Value,
  type Variable,
} from './sandbox/index.ts';
export {
  defaultSettings,
  openAiEmbedder,
  openTreeIndex,
  type RankingWeights,
  rankingWeights,
  type SearchHit,
  type SearchIndex,
  type TreeIndexOptions,
  transformersEmbedder,
} from './search/index.ts';
export {
  openAlertmanager,
  openDatadog,
  openFrozen,
  openGit,
  openGithub,
  openGitlab,
  openGrafana,
  openJournald,
  openKubernetes,
  openLogFiles,
  openLoki,
  openMcp,
  openPostgres,
  openPrometheus,
  openRedis,
  openSentry,
  postgresAddress,
} from './signals/index.ts';
export {
  openDatabase,
  openSessionsIn,
  openStore,
  type Sessions,
  type Store,
  type StoreOptions,
} from './store/index.ts';
export {
  type Accepted,
  type Deviation,
  type InboxItem,
  loadPageSearch,
  memoryWorld,
  openWorld,
  type PageHit,
  type PageQuery,
  type PageReply,
  type PageSearch,
  type PageText,
  type Refused,
  readableDiff,
  type SubmitResult,
  type World,
  type WorldEvent,
  type WorldOperation,
  type WorldWrite,
  type WriteRequest,
  worldWrite,
} from './world/index.ts';
