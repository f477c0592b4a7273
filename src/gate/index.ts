export {
  type ClaimsRequest,
  type ClaimsStatus,
  checkClaims,
  statusOf,
  unsupportedIn,
} from './check-claims.ts';
export {
  type Claim,
  type ClaimFlag,
  type ClaimSource,
  type ClaimVerdict,
  claimFlags,
  claimVerdicts,
  isCarried,
  isRefused,
  type LoggedSearch,
  type RunLogView,
} from './gate.ts';
export {
  type AnswerCitationStatus,
  type GivenAnswer,
  type VerifiedAnswer,
  type VerifiedAnswerClaim,
  type VerifyAnswerPorts,
  verifyAnswer,
} from './verify-answer.ts';
