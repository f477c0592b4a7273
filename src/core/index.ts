export type { AnswerLimits, FittedClaims } from './answer-fit.ts';
export type { Unit } from './answer-units.ts';
export { injectionGuard, quoteMaterial, unquoteText } from './boundary/boundary.ts';
export { escapeLookAlikes } from './boundary/escape-markers.ts';
export {
  type Account,
  type Actual,
  type AllAmounts,
  type Amounts,
  type Balance,
  type BudgetEnd,
  formatAmount,
  type Ledger,
  type Limits,
  type ReservationKey,
  type ReservedAmounts,
  type ReserveRequest,
  type Resource,
  resourceNames,
  resources,
  type SettledAmounts,
  zeroAmounts,
} from './budget/budget.ts';
export type { LedgerAccount, LedgerLine, LedgerReservation, LedgerRows } from './budget/ledger-rows.ts';
export type { LedgerTables } from './budget/memory-ledger.ts';
export type { Pool, PoolOptions, Reservation, ReserveOptions } from './budget/pool.ts';
export { type Citation, type CitationClaim, type CitationStatus, citationStatuses } from './citation.ts';
export {
  type Claim,
  type ClaimCounts,
  type ClaimFlag,
  type ClaimVerdict,
  claimFlags,
  claimVerdicts,
  countVerdicts,
  isRefused,
  isSupported,
  repeatsOrder,
  sortWorstFirst,
} from './claim.ts';
export { type Clock, manualClock, systemClock } from './clock.ts';
export type { ComputedAnswer, ComputedValue } from './computed.ts';
export {
  appendRemedy,
  type ErrorCode,
  type ErrorFields,
  errorCodes,
  isSondeError,
  messageOf,
  SondeError,
} from './errors.ts';
export type { Journal, LoggedEvent, RunEvent, RunEventKind, RunLog } from './event.ts';
export {
  createEvidence,
  type Evidence,
  type EvidenceFields,
  evidenceIdPattern,
  type Provenance,
  provenances,
} from './evidence.ts';
export { type CheckedClaim, checkCitations, checkClaim } from './gate.ts';
export { canonicalJson, createRunId, createSortableId, sha256 } from './id.ts';
export type { IncidentFields, IncidentVerb } from './incident/fields.ts';
export type {
  CheckedIncident,
  EarlierReport,
  FittingRunbook,
  IncidentBlame,
  IncidentClaim,
  IncidentCoverage,
  IncidentDelivery,
  IncidentLink,
  IncidentMoment,
  IncidentResult,
  IncidentVerdict,
  ProgramVerdict,
  RootCauseCategory,
  Suspect,
  UnprovenClaim,
} from './incident/incident.ts';
export type { Onset, SeriesPoint } from './incident/onset.ts';
export type {
  AlertState,
  Change,
  ChangedDefinition,
  ChangedNames,
  Health,
  IncidentWindow,
  Inspection,
  LogLine,
  LogPattern,
  Observation,
  ReadChangedNames,
  Rights,
  Series,
  Signal,
  SignalFailure,
  SignalLimits,
  SignalQuestion,
  SignalRequest,
  SignalRows,
  SignalTopic,
  TraceSpan as Span,
} from './incident/signal.ts';
export type {
  InvestigationRecord,
  InvestigationResult,
  InvestigationStatus,
  ListArtifact,
  ListItem,
  ProposedWrite,
} from './investigation.ts';
export type {
  BlameLine,
  CodeUnit,
  CommitNote,
  Completeness,
  ContentVersion,
  DefinitionFinder,
  DefinitionHit,
  DefinitionSearch,
  FileText,
  GitHistory,
  GrepReply,
  HistoryReply,
  LineMatch,
  SpanHit,
  SpanReply,
  SpanSearch,
  TextGrep,
  TextReader,
  UnitFinder,
  Unreadable,
} from './material.ts';
export type { FoundNames, NameFinder } from './names.ts';
export {
  type Coverage,
  type RunResult,
  type StopReason,
  stopReasons,
  type Verification,
  verifications,
} from './result.ts';
export type { RunState } from './run/state.ts';
export type { ShownEvidence, Trace } from './run/trace.ts';
export { checkScopeMatches, findInOtherCase, type ScopeMatcher, scopeBases, scopeMatcher } from './scope.ts';
export { mayHoldSecret } from './secrets/find-secrets.ts';
export { type Masker, type MaskRecipe, masker, plainMask, type SystemMask } from './secrets/masker.ts';
export { maskDeep, maskSecrets, removeKnownSecrets, secretMark } from './secrets/redact.ts';
export { isWithheld } from './secrets/withheld.ts';
export type {
  DeclaredSetting,
  DeclaredSettings,
  HiddenKey,
  McpServerSetting,
  SettingForms,
  SettingValues,
} from './setting.ts';
export type { LogOnce, Step, StepDone, StepResult, StepWork } from './step.ts';
export type {
  Edge,
  Expansion,
  Hover,
  Impact,
  ImpactRow,
  ListingFacts,
  NoSymbol,
  Outline,
  OutlineItem,
  ReferenceHow,
  References,
  SymbolReader,
  SymbolRow,
  SymbolSpan,
  SymbolTrace,
  TestOfSymbol,
  TraceStep,
  WordCounts,
} from './symbols.ts';
export { toSystemError } from './system-error.ts';
export type { CodeSpan } from './text/code-spans.ts';
export type { Enclosing } from './text/enclosing-block.ts';
export {
  type FileKind,
  fileKind,
  fileKinds,
  isChangeLog,
  isProgram,
  isTranslation,
} from './text/file-kind.ts';
export { type FoundSpan, toEvidence } from './text/found-span.ts';
export { cutLongLine } from './text/long-line.ts';
export {
  escapePath,
  formatCodeSpan,
  formatCount,
  plainLine,
  shortLine,
  toPlainText,
  unescapePath,
} from './text/plain-text.ts';
export { decodeSentText } from './text/sent-text.ts';
export type { FileSpan, LineSpan, TextSpan } from './text/span.ts';
export { splitLines, toEncodedFileText, toFileText } from './text/text-lines.ts';
export {
  type AppliedWrite,
  type Caller,
  type Capability,
  capabilities,
  type DerivationSource,
  forPrograms,
  type Tool,
  type ToolCall,
  type ToolError,
  type ToolErrorCode,
  type ToolResult,
  toolErrorCodes,
  toolFailure,
  toolReply,
} from './tool.ts';
export { covers, type ReadSpan, type ReadTrail } from './trail.ts';
