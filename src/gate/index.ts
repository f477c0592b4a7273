export { type AnswerEnd, type CheckedAnswer, createCheckedAnswer, markRefused } from './answer/answer.ts';
export { checkClaims } from './answer/check-claims.ts';
export { summarizeVerdicts } from './answer/status.ts';
export {
  type AnswerCitationStatus,
  type GivenAnswer,
  type VerifiedAnswer,
  type VerifiedAnswerClaim,
  type VerifyAnswerPorts,
  verifyAnswer,
} from './answer/verify-answer.ts';
export { type AnswerRequest, type WeighedAnswer, weighAnswer } from './answer/weigh-answer.ts';
export { createValueClaims, isValue, type ValueClaims } from './computed/values.ts';
export {
  type Claim,
  type ClaimFlag,
  type ClaimSource,
  type ClaimVerdict,
  claimFlags,
  claimVerdicts,
  isRefused,
  isSupported,
  type LoggedSearch,
  type RunLogView,
} from './gate.ts';
export { checkFields, type FieldsVerdict } from './incident/check-fields.ts';
export type { ChangeRecord, IncidentRecord, LogRecord, SeriesRecord } from './incident/records.ts';
export { formatSentence } from './incident/sentence.ts';
export { isForReader, isPlainWhy } from './reader/flags.ts';
export { applyReading, claimsToRead, compareWeights } from './reader/read-claims.ts';
export {
  type ClaimReader,
  type ClaimToRead,
  type ReaderReply,
  type ReaderVerdict,
  type ReaderWord,
  readerVerdicts,
} from './reader/reader.ts';
export { normalizeUnicode } from './words/normal.ts';
