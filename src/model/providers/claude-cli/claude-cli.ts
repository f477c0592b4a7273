import { z } from 'zod';
import { estimateUsage } from '../../call/usage.ts';
import { type CliAgent, type CliConnection, cliModel } from '../../cli-agent.ts';
import type { Model } from '../../model.ts';

const tokenCount = z.number().nonnegative().catch(0);

/** The output of `claude -p --output-format json`, as far as it is used. */
const outputForm = z.object({
  type: z.literal('result'),
  is_error: z.boolean().catch(false),
  subtype: z.string().optional(),
  result: z.string().optional(),
  total_cost_usd: z.number().nonnegative().optional(),
  stop_reason: z.string().nullish(),
  modelUsage: z.record(z.string(), z.unknown()).optional().catch(undefined),
  usage: z
    .object({
      input_tokens: tokenCount,
      cache_creation_input_tokens: tokenCount,
      cache_read_input_tokens: tokenCount,
      output_tokens: tokenCount,
    })
    .optional()
    .catch(undefined),
});

function agentFor(id: string | undefined): CliAgent {
  return {
    provider: 'claude-cli',
    title: 'Claude Code',
    remedyForLogin: 'Run `claude` once and log in, or choose another model.',
    remedyForMissing: 'Install Claude Code so that `claude` is on the path, or choose another model.',
    variables: /^(ANTHROPIC_|CLAUDE_|AWS_|GOOGLE_|CLOUD_ML_|VERTEX_)/,
    contextWindow: 200_000,
    maxOutput: 32_000,
    takesSchema: false,
    prepare: async (request) => ({
      args: [
        '-p',
        '--output-format',
        'json',
        // No tools, no servers, no settings of a project or user, nothing kept.
        '--tools',
        '',
        '--strict-mcp-config',
        '--setting-sources',
        '',
        '--no-session-persistence',
        '--system-prompt',
        'You answer one request. You have no tools. Your whole answer is read by a program.',
        ...(id === undefined ? [] : ['--model', id]),
      ],
      env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(request.maxOutputTokens) },
    }),
    read: (stdout, request, model) => {
      const output = findLastResult(stdout);
      if (!output) return undefined;
      const { usage: reported, result = '' } = output;
      const inputTokens =
        reported &&
        reported.input_tokens + reported.cache_creation_input_tokens + reported.cache_read_input_tokens;
      const usage =
        reported && inputTokens
          ? {
              input: inputTokens,
              output: reported.output_tokens,
              cacheRead: reported.cache_read_input_tokens,
              cacheWrite: reported.cache_creation_input_tokens,
              estimated: false,
            }
          : undefined;
      if (output.is_error || output.result === undefined)
        return { kind: 'trouble', detail: result || (output.subtype ?? ''), usage: usage ?? 'none' };
      return {
        kind: 'reply',
        text: result,
        usage: usage ?? estimateUsage(request, result),
        stop:
          output.stop_reason === 'max_tokens'
            ? 'length'
            : output.stop_reason === 'refusal'
              ? 'refusal'
              : 'end',
        model: Object.keys(output.modelUsage ?? {})[0] ?? model,
        ...(output.total_cost_usd !== undefined && { usd: output.total_cost_usd }),
      };
    },
  };
}

/** Finds the result in the output: one object, with some settings a list of events, or one of several lines. */
function findLastResult(stdout: string): z.infer<typeof outputForm> | undefined {
  for (const text of [stdout, ...stdout.trim().split('\n').reverse()]) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      continue;
    }
    for (const item of Array.isArray(parsed) ? parsed.toReversed() : [parsed]) {
      const result = outputForm.safeParse(item);
      if (result.success) return result.data;
    }
  }
  return undefined;
}

/** `claude -p`: the user's own Claude Code, with its login. */
export function claudeCli(id: string | undefined, connection: CliConnection): Model {
  return cliModel(agentFor(id), id, connection);
}
