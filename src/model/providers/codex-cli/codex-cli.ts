import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { estimateUsage } from '../../call/usage.ts';
import { type CliAgent, type CliConnection, cliModel } from '../../cli-agent.ts';
import type { Model } from '../../model.ts';
import { isStrict } from '../../typed/json-schema.ts';

const tokenCount = z.number().nonnegative().catch(0);

/** The lines of `codex exec --json` that are looked at. */
const eventForm = z.union([
  z.object({
    type: z.literal('item.completed'),
    item: z.object({ type: z.literal('agent_message'), text: z.string() }),
  }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z
      .object({ input_tokens: tokenCount, cached_input_tokens: tokenCount, output_tokens: tokenCount })
      .optional(),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);

function agentFor(id: string | undefined): CliAgent {
  return {
    provider: 'codex-cli',
    title: 'Codex',
    remedyForLogin: 'Run `codex login`, or choose another model.',
    remedyForMissing: 'Install Codex so that `codex` is on the path, or choose another model.',
    variables: /^(OPENAI_|CODEX_|AZURE_OPENAI_)/,
    contextWindow: 200_000,
    maxOutput: 32_000,
    takesSchema: false,
    prepare: async (request, files) => {
      const schema = request.schema && isStrict(request.schema.json) ? join(files, 'schema.json') : undefined;
      if (schema) await writeFile(schema, JSON.stringify(request.schema?.json));
      return {
        args: [
          'exec',
          '--json',
          // The program can't switch off all tools, so each is restricted: no shell tool, no search, and a sandbox that
          // can't write.
          ...['--sandbox', 'read-only', '-c', 'approval_policy="never"'],
          ...['-c', 'features.shell_tool=false', '-c', 'web_search="disabled"'],
          ...['--skip-git-repo-check', '--ephemeral', '--color', 'never'],
          ...(id === undefined ? [] : ['--model', id]),
          ...(schema ? ['--output-schema', schema] : []),
          '-',
        ],
      };
    },
    read: (stdout, request, model) => {
      let text: string | undefined;
      let problem: string | undefined;
      let usage: { input_tokens: number; cached_input_tokens: number; output_tokens: number } | undefined;
      for (const line of stdout.split('\n')) {
        const event = eventForm.safeParse(parseLine(line)).data;
        if (event?.type === 'item.completed') text = event.item.text;
        else if (event?.type === 'turn.completed') usage = event.usage;
        else if (event?.type === 'turn.failed') problem = event.error.message;
        else if (event?.type === 'error') problem ??= event.message;
      }
      if (text === undefined)
        return problem === undefined ? undefined : { kind: 'trouble', detail: problem, usage: 'unknown' };
      return {
        kind: 'reply',
        text,
        usage: usage?.input_tokens
          ? {
              input: usage.input_tokens,
              output: usage.output_tokens,
              cacheRead: usage.cached_input_tokens,
              cacheWrite: 0,
              estimated: false,
            }
          : estimateUsage(request, text),
        stop: 'end',
        model,
      };
    },
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** `codex exec`: the user's own Codex, with its login. */
export function codexCli(id: string | undefined, connection: CliConnection): Model {
  return cliModel(agentFor(id), id, connection);
}
