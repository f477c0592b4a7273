/** Reads a reply in one piece, for servers that don't stream. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

export interface RawReply {
  readonly text: string;
  /** All content that was received: text, reasoning, calls. For a stopped reply, the content until then. */
  readonly content: readonly LanguageModelV4Content[];
  readonly usage: LanguageModelV4Usage;
  readonly finishReason: LanguageModelV4FinishReason;
  readonly model: string | undefined;
  /** Whether it was stopped because it exceeded the limit. */
  readonly overran?: true;
}

export const noReportedUsage: LanguageModelV4Usage = Object.freeze({
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
});

export async function readWholeReply(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<RawReply> {
  const result = await model.doGenerate(options);
  const parts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
  return {
    text: result.structuredOutputText ?? parts.join(''),
    content: result.content,
    usage: result.usage,
    finishReason: result.finishReason,
    model: result.response?.modelId,
  };
}
