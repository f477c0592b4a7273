import { z } from 'zod';
import { messageOf } from '../../../core/index.ts';
import { failure, guessCode } from '../../call/failure.ts';
import { runInterruptibly } from '../../call/run-interruptibly.ts';
import { estimateUsage } from '../../call/usage.ts';
import type { Model, ModelReply, ModelRequest } from '../../model.ts';
import { withSchemaText } from '../../typed/schema-text.ts';

/** The part of MCP's `sampling/createMessage` that Sonde uses. */
export interface SamplingRequest {
  readonly systemPrompt?: string;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: { readonly type: 'text'; readonly text: string };
  }[];
  readonly maxTokens: number;
  readonly temperature?: number;
}

/** Asks the client that called. What it returns is checked here. */
export type Sample = (request: SamplingRequest, signal: AbortSignal) => Promise<unknown>;

export interface SamplingOptions {
  readonly contextWindow?: number;
  readonly maxOutput?: number;
}

const textPart = z.object({ type: z.literal('text'), text: z.string() });

const answerForm = z.object({
  model: z.string().optional(),
  stopReason: z.string().optional(),
  content: z.union([textPart.transform((part) => [part]), z.array(z.unknown()).transform(pickTextParts)]),
});

function pickTextParts(parts: readonly unknown[]): readonly z.infer<typeof textPart>[] {
  return parts.flatMap((part) => {
    const parsed = textPart.safeParse(part);
    return parsed.success ? [parsed.data] : [];
  });
}

/**
 * The model of the MCP client. It reports no usage and can't be stopped, so each call is charged its reservation. Only
 * the client knows the real cost.
 */
export function samplingModel(sample: Sample, options: SamplingOptions = {}): Model {
  const context = { provider: 'the MCP client', model: 'mcp', secrets: [] };
  return Object.freeze({
    name: 'mcp',
    real: true,
    local: false,
    maxOutput: options.maxOutput ?? 8_192,
    contextWindow: options.contextWindow ?? 128_000,
    generate: (request: ModelRequest) =>
      runInterruptibly(request, context, async (signal) => {
        let response: unknown;
        try {
          response = await sample(toSamplingRequest(request), signal);
        } catch (thrown) {
          const detail = messageOf(thrown);
          // -1 is the protocol's code for a request that the person declined.
          const isDeclined =
            (thrown as { code?: unknown } | null)?.code === -1 || /reject|denied|declin/i.test(detail);
          if (isDeclined)
            return {
              ...failure(
                'bad_request',
                { ...context, detail: `the request was declined: ${detail}` },
                'none',
              ),
              remedy: 'Allow sampling in the client, or configure a model of your own.',
            };
          return failure(guessCode(detail) ?? 'bad_response', { ...context, detail }, 'unknown', false);
        }
        const parsed = answerForm.safeParse(response);
        if (!parsed.success)
          return failure('bad_response', { ...context, detail: 'the client sent no text' }, 'unknown', false);
        const text = parsed.data.content.map((part) => part.text).join('');
        request.onText?.(text);
        return Object.freeze({
          kind: 'reply',
          text,
          usage: estimateUsage(request, text),
          stop: toStop(parsed.data.stopReason),
          model: parsed.data.model ?? 'mcp',
        });
      }),
  });
}

function toSamplingRequest(request: ModelRequest): SamplingRequest {
  const modelRequest = withSchemaText(request);
  const system = modelRequest.messages
    .filter((message) => message.role === 'system')
    .map((message) => message.text);
  return {
    ...(system.length > 0 && { systemPrompt: system.join('\n\n') }),
    messages: modelRequest.messages.flatMap((message) =>
      message.role === 'system'
        ? []
        : [{ role: message.role, content: { type: 'text' as const, text: message.text } }],
    ),
    maxTokens: request.maxOutputTokens,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  };
}

function toStop(reason: string | undefined): ModelReply['stop'] {
  if (reason === 'maxTokens') return 'length';
  return reason === undefined || reason === 'endTurn' || reason === 'stopSequence' ? 'end' : 'other';
}
