/** A dialogue with a model that has native tools: what is sent, and how the reply is read. */
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { removeKnownSecrets } from '../../core/index.ts';
import type { SendRequest } from '../call/send.ts';
import { estimateUsage } from '../call/usage.ts';
import type { RawReply } from '../call/whole-reply.ts';
import type { ProviderModel } from '../language-model.ts';
import type { Usage } from '../model.ts';
import type { Dialogue, Part } from './dialogue.ts';
import { maskReply } from './mask-reply.ts';
import { measure } from './measure.ts';
import { toParts } from './parts.ts';
import { isTakenOver, type Rendering, toPrompt, toTools } from './prompt.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { formatParts } from './tags.ts';

/** The parts that differ between providers. */
export interface DialogueWire extends Pick<Rendering, 'mark' | 'strict'> {
  /** Thinking tokens, in addition to the output limit. */
  readonly thinking?: number;
  /** Whether the provider counts thinking towards the output limit. */
  readonly limitsThinking?: true;
  /** False once the server has refused tools: a dialogue then goes as text. */
  readonly takesTools?: () => boolean;
  /** False once the server has refused reasoning that is sent back. */
  readonly takesReasoning?: () => boolean;
  readonly options?: (turn: WireTurn) => SharedV4ProviderOptions;
  /**
   * Forces a call of one tool without changing the list of tools, which would invalidate the cache. Absent if the
   * provider can't.
   */
  readonly toolChoice?: (tool: string) => LanguageModelV4CallOptions['toolChoice'];
}

export interface WireTurn {
  readonly must: string | undefined;
  readonly cacheKey: string | undefined;
  /** Another model made the calls that are answered here: there is no reasoning to continue. */
  readonly takenOver: boolean;
}

/**
 * The name that the reply is stored under. A model with thinking and the same model without it count as two. Thinking
 * is off while a turn of another model is continued.
 */
function resolveSpeaker({ name, dialogue: { thinking } }: ProviderModel, dialogue: Dialogue) {
  if (thinking === undefined) return { by: name, takenOver: isTakenOver(dialogue, name) };
  const by = `${name}+thinking`;
  const takenOver = isTakenOver(dialogue, by);
  return { by: takenOver ? name : by, takenOver };
}

export function dialogueSendRequest(provider: ProviderModel, request: DialogueRequest): SendRequest {
  const { dialogue, must, cacheKey, idempotencyKey } = request;
  const { dialogue: wire } = provider;
  const { by, takenOver } = resolveSpeaker(provider, dialogue);
  const rendering: Rendering = {
    by,
    ...(wire.mark && { mark: wire.mark }),
    ...(wire.strict !== undefined && { strict: wire.strict }),
    ...(wire.takesReasoning?.() === false && { reasoning: false }),
  };
  const maxOutputTokens = Math.min(request.maxOutputTokens, provider.maxOutput);
  const providerOptions = wire.options?.({ must, cacheKey, takenOver });
  const toolChoice = must === undefined ? undefined : wire.toolChoice?.(must);
  const tools = toTools(dialogue.tools, rendering);
  const thinking = takenOver ? 0 : (wire.thinking ?? 0);
  const thinkingInLimit = wire.limitsThinking === true ? thinking : 0;
  return {
    options: {
      prompt: toPrompt(dialogue, rendering),
      maxOutputTokens: Math.min(maxOutputTokens + thinkingInLimit, provider.maxOutput),
      ...(tools.length > 0 && { tools }),
      ...(toolChoice && { toolChoice }),
      ...(providerOptions && { providerOptions }),
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    },
    maxOutputTokens: maxOutputTokens + thinking,
    echoedBytes: Buffer.byteLength(JSON.stringify(dialogue.tools)),
    onText: request.onText,
  };
}

export function toDialogueReply(
  provider: ProviderModel,
  { dialogue }: DialogueRequest,
  raw: RawReply,
  reported: Usage | undefined,
): DialogueReply {
  const measured = measure(dialogue);
  if (reported) provider.ceiling.learn(measured, reported.input);
  const allParts = toParts(raw.content, dialogue);
  const isCut = raw.finishReason.unified === 'length';
  const parts = isCut && raw.overran !== true ? withoutCutCall(allParts) : allParts;
  const reply: DialogueReply = {
    kind: 'reply',
    by: resolveSpeaker(provider, dialogue).by,
    parts,
    stop: toStop(raw.finishReason.unified, parts),
    usage: reported ?? estimateUsage(measured, formatParts(allParts)),
    model: raw.model ?? provider.name,
    ...(raw.overran && { overran: true as const }),
  };
  return maskReply(reply, (text) => removeKnownSecrets(text, provider.errorContext.secrets));
}

/** Drops the last call before the output limit, even if it can be parsed: a cut call may arrive as `{}`. */
function withoutCutCall(parts: readonly Part[]): readonly Part[] {
  return parts.at(-1)?.kind === 'call' ? parts.slice(0, -1) : parts;
}

function toStop(reason: string, parts: readonly Part[]): DialogueReply['stop'] {
  if (reason === 'length') return 'length';
  if (reason === 'content-filter') return 'refusal';
  if (parts.some(({ kind }) => kind === 'call')) return 'calls';
  return reason === 'stop' ? 'end' : 'other';
}
