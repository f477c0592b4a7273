export type { AiSdkModel, AiSdkOptions } from './ai-sdk.ts';
export type { RetryPolicy } from './call/backoff.ts';
export { type CallResult, type CallSetting, callModel } from './call/call.ts';
export { type CallBudget, canPayFor, canPayForPage, fitToBudget } from './call/fit-to-budget.ts';
export { limitToPool, maxSilence, timeRefusal } from './call/pool-bounds.ts';
export { type Choice, type Choices, chooseModels } from './choose.ts';
export { type CallsResult, runCalls } from './dialogue/calls.ts';
export {
  addEntries,
  addNote,
  beginDialogue,
  type Call,
  callsOf,
  type Dialogue,
  type DialogueCut,
  type DialogueTool,
  type Entry,
  type Head,
  type Opaque,
  type Part,
  type Reply,
  type Result,
  textOf,
  uncut,
} from './dialogue/dialogue.ts';
export { learnTokenizer } from './dialogue/learn-tokenizer.ts';
export { countDialogue, estimateDialogue } from './dialogue/measure.ts';
export type { DialogueReply, DialogueRequest } from './dialogue/reply.ts';
export { requestTurn, type TurnAttempt, type TurnOptions, turnCost } from './dialogue/turn.ts';
export { inputRoom, requestTurnInWindow } from './dialogue/turn-in-window.ts';
export { applyCut, cutToMinimum } from './dialogue/window.ts';
export { extractive, isExtractive } from './extractive.ts';
export type { Price } from './known-models.ts';
export { maskModel } from './mask-model.ts';
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
export { modelForms } from './model-names.ts';
export type { Cost, Prices } from './prices.ts';
export { fillPrompt, promptFile } from './prompt-file.ts';
export type { Sample, SamplingRequest } from './providers/mcp/sampling.ts';
export type { ProviderCheck } from './providers/provider.ts';
export { type Script, type ScriptedModel, type ScriptLine, scriptedModel } from './scripted.ts';
export type { ModelPorts, ModelSettings } from './settings.ts';
export { withoutThoughts } from './thoughts.ts';
export type { LearnedStore } from './tokens/input-ceiling.ts';
export { countTokens, estimateTokens } from './tokens/tokens.ts';
export { type Prediction, type PredictSetting, predict } from './typed/predict.ts';
export { defineSignature, type Example, type Signature, type SignatureFields } from './typed/signature.ts';
