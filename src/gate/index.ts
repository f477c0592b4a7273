export { type AnswerEnd, type CheckedAnswer, checkedAnswer, markRefused } from './answer.ts';
export { checkClaims } from './check-claims.ts';
export { isPlainWhy } from './flags.ts';
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
export { sentenceOf } from './incident/sentence.ts';
export { byWeight, claimsToRead, withReading } from './read-claims.ts';
export {
  type ClaimReader,
  type ClaimToRead,
  type ReaderReply,
  type ReaderVerdict,
  type ReaderWord,
  readerVerdicts,
} from './reader.ts';
export { statusOf } from './status.ts';
export { claimsOfValues, type ValueClaims } from './values.ts';
export {
  type AnswerCitationStatus,
  type GivenAnswer,
  type VerifiedAnswer,
  type VerifiedAnswerClaim,
  type VerifyAnswerPorts,
  verifyAnswer,
} from './verify-answer.ts';
export { type AnswerRequest, type WeighedAnswer, weighAnswer } from './weigh-answer.ts';
