import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, SondeError } from '../core/index.ts';
import { failure } from './call/failure.ts';
import { runInterruptibly } from './call/run-interruptibly.ts';
import { estimateInput, estimateUsage, noUsage } from './call/usage.ts';
import { textOf } from './dialogue/dialogue.ts';
import type { DialogueRequest } from './dialogue/reply.ts';
import { toScriptedReply } from './dialogue/scripted-reply.ts';
import { toTextRequest } from './dialogue/text-dialogue.ts';
import {
  type FailureCode,
  failureCodes,
  type Model,
  type ModelFailure,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from './model.ts';

/**
 * One answer of a script. A text is the reply. An object is the reply as JSON, unless all its keys are among these:
 * `text` or `json` with an optional `usage`, `usd` and `stop`; `failure`, a code or a code with a message; `delay_ms`,
 * a delay before this answer, or alone, before the next one. In a dialogue a line may hold `calls`, each a `name` with
 * its `input`, beside `text`; tags in a text are calls, too.
 */
export type ScriptLine = string | Readonly<Record<string, unknown>>;

export type Script =
  | ScriptLine
  | readonly ScriptLine[]
  | ((request: ModelRequest, call: number) => ScriptLine);

export interface ScriptedModel extends Model {
  /** Every request so far, oldest first. */
  readonly calls: readonly ModelRequest[];
}

/**
 * A model that answers from a script: one value for every call, a list with one for each call, or a function. A call
 * after the end of a list fails with `script_ended`. Usage that a line does not give is estimated.
 */
export function scriptedModel(script: Script, name = 'scripted:memory'): ScriptedModel {
  checkScript(script, name);
  const calls: ModelRequest[] = [];
  let cursor = 0;
  const context = { provider: 'scripted', model: name, secrets: [] };
  const nextLine = (request: ModelRequest): ScriptLine | undefined => {
    if (typeof script === 'function') return script(request, cursor++);
    return Array.isArray(script) ? script[cursor++] : (script as ScriptLine);
  };
  function generate(request: ModelRequest): Promise<ModelReply | ModelFailure> {
    return runInterruptibly<ModelReply>(request, context, async (signal) => {
      calls.push(request);
      let line = nextLine(request);
      for (; isPause(line); line = nextLine(request)) await delay(line.delay_ms, undefined, { signal });
      if (line === undefined) {
        const detail = `call ${calls.length} finds the script at its end after ${cursor - 1} lines`;
        return failure('script_ended', { ...context, detail }, 'none');
      }
      const answer = parseAnswer(line);
      if (answer.delayMs > 0) await delay(answer.delayMs, undefined, { signal });
      if (answer.failure) {
        const { code, message, usage, retryAfterMs } = answer.failure;
        const failureContext = {
          ...context,
          detail: message,
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        };
        return failure(code, failureContext, usage);
      }
      for (const piece of answer.text.match(/\S+\s*|\s+/g) ?? []) request.onText?.(piece);
      return Object.freeze({
        kind: 'reply',
        text: answer.text,
        usage: answer.usage ?? { ...estimateUsage(request, answer.text), estimated: false },
        stop: answer.stop,
        model: name,
        ...(answer.usd !== undefined && { usd: answer.usd }),
        ...(Array.isArray(script) && { cursor }),
      });
    });
  }

  /** Calls `this.generate`, so that replacing `generate` replaces both. */
  async function reply(this: Pick<Model, 'generate'>, request: DialogueRequest) {
    const { onText, ...requestWithoutText } = request;
    const answer = await this.generate(toTextRequest(requestWithoutText));
    if (answer.kind !== 'reply') return answer;
    const scriptedReply = toScriptedReply(answer, request, name);
    for (const piece of textOf(scriptedReply).match(/\S+\s*|\s+/g) ?? []) onText?.(piece);
    return scriptedReply;
  }

  return Object.freeze({
    name,
    real: false,
    local: true,
    maxOutput: 64_000,
    contextWindow: 1_000_000,
    maxInput: estimateInput,
    calls,
    onRecall: (reply: ModelReply) => {
      cursor = Math.max(cursor, reply.cursor ?? 0);
    },
    generate,
    reply,
  });
}

/** Checks for callers in plain JavaScript: `{ script: [...] }` would otherwise be one reply, as JSON. */
function checkScript(script: unknown, name: unknown): void {
  const isLine = (line: unknown): boolean =>
    typeof line === 'string' || (typeof line === 'object' && line !== null && !Array.isArray(line));
  const problem =
    typeof name !== 'string'
      ? 'The name of a scripted model is no text'
      : typeof script === 'object' && script !== null && 'script' in script
        ? 'scriptedModel takes the script itself, not an object that holds it'
        : !(typeof script === 'function' || (Array.isArray(script) ? script.every(isLine) : isLine(script)))
          ? 'A script is a text, an object, a list of these, or a function'
          : null;
  if (problem !== null)
    throw new SondeError('bad_argument', {
      message: problem,
      remedy: "Such as scriptedModel([{ calls: [{ name: 'grep', input: { pattern: 'x' } }] }, 'The end.']).",
    });
}

/** Reads a script: JSON lines, one answer a line; empty lines and lines that start with `//` are skipped. */
export function parseScript(text: string, name: string): readonly ScriptLine[] {
  return text.split('\n').flatMap((line, index): ScriptLine[] => {
    if (line.trim() === '' || line.trimStart().startsWith('//')) return [];
    const createLineError = (why: string, cause?: unknown) =>
      new SondeError('model_config', {
        message: `Line ${index + 1} of the script ${name} ${why}`,
        remedy: 'Write one JSON string or object on each line.',
        cause,
      });
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch (thrown) {
      throw createLineError(`is not JSON: ${messageOf(thrown)}`, thrown);
    }
    if (
      typeof parsed !== 'string' &&
      (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    )
      throw createLineError('is neither a string nor an object');
    if (isDirective(parsed) && 'failure' in parsed && !parseFailure(parsed['failure']))
      throw unknownFailureError(parsed);
    return [parsed as ScriptLine];
  });
}

const directives: ReadonlySet<string> = new Set([
  'text',
  'json',
  'calls',
  'usage',
  'usd',
  'stop',
  'failure',
  'delay_ms',
]);

function isDirective(line: unknown): line is Readonly<Record<string, unknown>> {
  if (typeof line !== 'object' || line === null) return false;
  const keys = Object.keys(line);
  return (
    keys.some((key) => ['text', 'json', 'calls', 'failure', 'delay_ms'].includes(key)) &&
    keys.every((key) => directives.has(key))
  );
}

function isPause(line: ScriptLine | undefined): line is { readonly delay_ms: number } {
  return isDirective(line) && Object.keys(line).length === 1 && typeof line['delay_ms'] === 'number';
}

interface ScriptedAnswer {
  readonly text: string;
  readonly usage: Usage | undefined;
  readonly usd: number | undefined;
  readonly stop: ModelReply['stop'];
  readonly delayMs: number;
  readonly failure: ScriptedFailure | undefined;
}

interface ScriptedFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly usage: Usage | 'none' | 'unknown';
  readonly retryAfterMs?: number;
}

function parseAnswer(line: ScriptLine): ScriptedAnswer {
  const defaults = { usage: undefined, usd: undefined, stop: 'end' as const, delayMs: 0, failure: undefined };
  if (typeof line === 'string') return { ...defaults, text: line };
  if (!isDirective(line)) return { ...defaults, text: JSON.stringify(line) };
  const { text, json, calls, usage, usd, stop, delay_ms } = line;
  const detail = Array.isArray(calls) ? { text, calls } : (json ?? '');
  const scriptedFailure = 'failure' in line ? parseFailure(line['failure']) : undefined;
  if ('failure' in line && !scriptedFailure) throw unknownFailureError(line);
  return {
    text: typeof text === 'string' && !Array.isArray(calls) ? text : JSON.stringify(detail),
    usage: typeof usage === 'object' ? { ...noUsage, ...(usage as Partial<Usage>) } : undefined,
    usd: typeof usd === 'number' ? usd : undefined,
    stop: typeof stop === 'string' ? (stop as ModelReply['stop']) : 'end',
    delayMs: typeof delay_ms === 'number' ? delay_ms : 0,
    failure: scriptedFailure,
  };
}

function unknownFailureError(line: ScriptLine): SondeError {
  return new SondeError('model_config', {
    message: `A script asks for an unknown failure: ${JSON.stringify(line)}`,
    remedy: `Use one of ${failureCodes.join(', ')}.`,
  });
}

/** `"overloaded"`, or `{"code": "rate_limited", "message": "...", "usage": "unknown", "retry_after_ms": 5}`. */
function parseFailure(value: unknown): ScriptedFailure | undefined {
  const fields = (typeof value === 'string' ? { code: value } : value) as Readonly<
    Record<string, unknown>
  > | null;
  const code = failureCodes.find((known) => known === fields?.['code']);
  if (!code || !fields) return undefined;
  const retryAfterMs = fields['retry_after_ms'];
  return {
    code,
    message: typeof fields['message'] === 'string' ? fields['message'] : '',
    usage: (fields['usage'] as ScriptedFailure['usage'] | undefined) ?? 'none',
    ...(typeof retryAfterMs === 'number' && { retryAfterMs: retryAfterMs }),
  };
}
