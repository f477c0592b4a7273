import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FailureContext, failure, guessCode } from './call/failure.ts';
import { runInterruptibly } from './call/run-interruptibly.ts';
import type { FailureCode, Model, ModelFailure, ModelReply, ModelRequest } from './model.ts';
import { runProgram } from './run-program.ts';
import { createLearnedCeiling, type LearnedStore } from './tokens/input-ceiling.ts';
import { withSchemaText } from './typed/schema-text.ts';

/** How to start a command-line agent. */
export interface CliConnection {
  /** A path, or a name to be found on the path of `env`. */
  readonly command: string;
  /** The environment of the user; only what the program needs is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly learned?: LearnedStore;
}

/** The parts that differ between command-line agents. */
export interface CliAgent {
  readonly provider: 'claude-cli' | 'codex-cli';
  /** Its name in messages. */
  readonly title: string;
  readonly remedyForLogin: string;
  readonly remedyForMissing: string;
  /** Names of variables that the program needs beside the usual ones. */
  readonly variables: RegExp;
  readonly contextWindow: number;
  readonly maxOutput: number;
  /** Whether the program can enforce a JSON schema. If not, the schema is part of the prompt. */
  readonly takesSchema: boolean;
  /** `files`: a directory for the input files of the program, outside its working directory. */
  prepare(request: ModelRequest, files: string): Promise<AgentCommand>;
  /** Parses the output of the program; `undefined` if it is not in the documented form. */
  read(stdout: string, request: ModelRequest, model: string): ModelReply | CliProblem | undefined;
}

export interface AgentCommand {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliProblem {
  readonly kind: 'trouble';
  readonly detail: string;
  readonly code?: FailureCode;
  readonly usage: ModelFailure['usage'];
}

const maxOutputBytes = 16 * 1024 * 1024;

/** Environment variables that any program needs: paths, language, proxy. */
const usualVariables =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|TERM|XDG_\w+|APPDATA|LOCALAPPDATA|USERPROFILE|SYSTEMROOT|COMSPEC|PATHEXT|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i;

/**
 * Makes a model of a command-line agent. It gets the prompt on standard input, works in an empty directory, and has its
 * tools switched off as far as it allows. A timeout or cancel ends its whole process group.
 */
export function cliModel(agent: CliAgent, id: string | undefined, connection: CliConnection): Model {
  const name = id === undefined ? agent.provider : `${agent.provider}:${id}`;
  const env = pickVariables(connection.env, (key) => usualVariables.test(key) || agent.variables.test(key));
  const secrets = Object.entries(env)
    .filter(([key]) => /KEY|TOKEN|SECRET/i.test(key))
    .map(([, value]) => value);
  const context: Omit<FailureContext, 'detail'> = { provider: agent.title, model: name, secrets };
  const ceiling = createLearnedCeiling(name, connection.learned);
  return Object.freeze({
    name,
    real: true,
    local: false,
    maxOutput: connection.maxOutput ?? agent.maxOutput,
    contextWindow: connection.contextWindow ?? agent.contextWindow,
    maxInput: ceiling.maxTokens,
    generate: (request: ModelRequest) =>
      runInterruptibly(request, context, async (signal) => {
        const filesDirectory = await mkdtemp(join(tmpdir(), 'sonde-model-'));
        try {
          const cwd = join(filesDirectory, 'empty');
          await mkdir(cwd);
          const modelRequest = agent.takesSchema ? request : withSchemaText(request);
          const agentCommand = await agent.prepare(request, filesDirectory);
          const programEnd = await runProgram({
            command: connection.command,
            args: agentCommand.args,
            stdin: promptText(modelRequest),
            cwd,
            env: { ...env, ...agentCommand.env },
            signal,
            maxOutputBytes,
          });
          switch (programEnd.kind) {
            case 'ended': {
              const result = readResult(agent, name, context, request, programEnd);
              if (result.kind === 'reply' && !result.usage.estimated)
                ceiling.learn(request, result.usage.input);
              return result;
            }
            case 'not_started':
              return {
                ...failure(
                  'unreachable',
                  { ...context, detail: `${connection.command}: ${programEnd.why}` },
                  'none',
                  false,
                ),
                remedy: agent.remedyForMissing,
              };
            case 'too_much_output':
              return failure(
                'bad_response',
                { ...context, detail: 'it printed more than 16 MB' },
                'unknown',
                false,
              );
            case 'aborted':
              return failure('cancelled', { ...context, detail: 'cancelled' }, 'unknown');
          }
        } finally {
          await rm(filesDirectory, { recursive: true, force: true });
        }
      }),
  });
}

function readResult(
  agent: CliAgent,
  name: string,
  context: Omit<FailureContext, 'detail'>,
  request: ModelRequest,
  programEnd: { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string },
): ModelReply | ModelFailure {
  const parsed = agent.read(programEnd.stdout, request, name);
  if (parsed?.kind === 'reply') {
    request.onText?.(parsed.text);
    return Object.freeze(parsed);
  }
  const detail =
    parsed?.detail || lastLines(programEnd.stderr) || lastLines(programEnd.stdout) || 'it printed nothing';
  const code =
    parsed?.code ?? guessCode(detail) ?? (programEnd.exitCode === 0 ? 'bad_response' : 'bad_request');
  const exitText = programEnd.exitCode === 0 ? '' : `exit ${programEnd.exitCode ?? 'by signal'}: `;
  const problem = failure(code, { ...context, detail: `${exitText}${detail}` }, parsed?.usage ?? 'unknown');
  if (code === 'auth') return { ...problem, remedy: agent.remedyForLogin };
  if (/unknown option|unexpected argument|unrecognized/i.test(detail))
    return { ...problem, remedy: `Update ${agent.title}: it does not know an option that Sonde needs.` };
  return problem;
}

/** Joins the conversation into one text, since a command-line program accepts a prompt without roles. */
function promptText(request: ModelRequest): string {
  if (request.messages.every((message) => message.role !== 'assistant'))
    return request.messages.map((message) => message.text).join('\n\n');
  return request.messages.map((message) => `# ${roleTitles[message.role]}\n\n${message.text}`).join('\n\n');
}

const roleTitles = { system: 'Instructions', user: 'Request', assistant: 'Your earlier answer' } as const;

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ').slice(-600);
}

function pickVariables(
  variables: Readonly<Record<string, string | undefined>>,
  isWanted: (key: string) => boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isWanted(entry[0]),
    ),
  );
}
