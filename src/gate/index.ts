export {
  type Claim,
  type ClaimFlag,
  type ClaimSource,
  type ClaimVerdict,
  claimFlags,
  claimVerdicts,
  isCarried,
  isRefused,
} from './gate.ts';
export {
  type AnswerCitationStatus,
  type GivenAnswer,
  type VerifiedAnswer,
  type VerifiedAnswerClaim,
  type VerifyAnswerPorts,
  verifyAnswer,
} from './verify-answer.ts';
