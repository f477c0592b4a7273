export type {
  FailureCode,
  Model,
  ModelFailure,
  ModelMessage,
  ModelReply,
  ModelRequest,
  Tier,
  Usage,
} from './model.ts';
