import type { ModelRequest, Usage } from '../model.ts';
import { estimateTokens } from '../tokens/tokens.ts';

/** Tokens that a chat format adds around each message. */
const tokensPerMessage = 8;

export const noUsage: Usage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  estimated: false,
});

/** A guess at the input tokens of a request: the schema counts, since providers turn it into prompt text. */
export function estimateInput(request: Pick<ModelRequest, 'messages' | 'schema'>): number {
  let tokens = request.schema ? estimateTokens(JSON.stringify(request.schema.json)) : 0;
  for (const message of request.messages) tokens += tokensPerMessage + estimateTokens(message.text);
  return tokens;
}

/** For a provider that reports nothing. */
export function estimateUsage(request: Pick<ModelRequest, 'messages' | 'schema'>, reply: string): Usage {
  return Object.freeze({
    input: estimateInput(request),
    output: estimateTokens(reply),
    cacheRead: 0,
    cacheWrite: 0,
    estimated: true,
  });
}
