/**
 * A tool for each kind of run. It starts a run, lets the run use the client's model if the client offers that, and
 * returns a short answer.
 */

import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { messageOf, type RunResult, SondeError, toPlainText } from '../../core/index.ts';
import { createProgressFormatter } from '../../core/runs.ts';
import type { Sample } from '../../model/index.ts';
import type { FinishedRun, KindRequest, OfferedModel, RunKind, RunTool } from '../runs/run-kind.ts';
import type { Watch } from '../runs/watch.ts';
import { formatProgress, throttleProgress } from '../search/index-progress.ts';
import { resourceEntry, resourceNames } from './addresses.ts';
import { answerText } from './answer-text.ts';
import { Exchange } from './exchange.ts';
import { runOutput, structureAnswer } from './run-output.ts';

/** A parameter of all these tools. */
const debug = z
  .boolean()
  .default(false)
  .describe('Add the addresses of the trace, the evidence, the claims and the report.');

/** Maximum rounds of questions that a client answers in one call, by default of the SDK. */
const clientRounds = 10;

/** The state that a client sends back in the next round. It is sealed, since it comes from outside. */
interface Round {
  readonly exchange: string;
  /** Null until the run is stored. */
  readonly run: string | null;
}

export interface ServedTool {
  readonly definition: RunTool<unknown>;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `offersSampling`: the client lets its own model answer. */
  call(
    input: z.output<z.ZodObject>,
    context: ServerContext,
    offersSampling: boolean,
  ): Promise<CallToolResult | InputRequiredResult>;
}

export interface ServedTools {
  readonly tools: readonly ServedTool[];
  /** Settings from the command line. */
  readonly settings: NonNullable<RunToolsOptions['settings']>;
  /** Checks the state that a client echoes, for `ServerOptions.requestState`. */
  readonly verify: RequestStateCodec<Round>['verify'];
  /** Ends what is still running; resolves when it has ended. */
  close(): Promise<void>;
}

/** A run that has not ended, and the call that waits for it at the moment. */
interface PendingRun {
  readonly exchange: Exchange<FinishedRun>;
  /** Called with each line of progress. */
  report: (line: string) => void;
  run: string | null;
}

function createReporter(context: ServerContext): PendingRun['report'] {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // Ignored, since the transport notices a client that has gone.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

export function failureResult(thrown: unknown, redact: (text: string) => string): CallToolResult {
  const isKnown = thrown instanceof SondeError;
  const text = isKnown ? `${thrown.code}: ${thrown.message}` : `internal: ${messageOf(thrown)}`;
  const remedy = isKnown && thrown.remedy !== undefined ? `\n${thrown.remedy}` : '';
  return { isError: true, content: [{ type: 'text', text: redact(toPlainText(`${text}${remedy}`)) }] };
}

/** Text for clients that read text, fields for others, and links to the rest of the run. */
function answerResult(result: RunResult, debug: boolean, redact: (text: string) => string): CallToolResult {
  const links = resourceNames.map((name) => ({
    type: 'resource_link' as const,
    ...resourceEntry(result.run_id, name),
  }));
  return {
    content: [{ type: 'text', text: redact(answerText(result, debug)) }, ...links],
    structuredContent: structureAnswer(result, redact),
    // The text shows what was found; the flag says that the question was not answered.
    ...(result.stop_reason === 'model_failed' && { isError: true }),
  };
}

export interface RunToolsOptions {
  /** The kinds of run to offer. Those without a tool are left out. */
  readonly kinds: readonly RunKind[];
  readonly root: string;
  /** Settings from the command line. They apply to every question. */
  readonly settings?: { readonly model?: string };
  /** Seals the state of rounds, at least 32 bytes. Another process of this user with the same key can continue. */
  readonly key: Uint8Array;
  readonly redact: (text: string) => string;
}

export function runTools({ kinds, root, settings = {}, key, redact }: RunToolsOptions): ServedTools {
  const codec = createRequestStateCodec<Round>({ key });
  const pendingRuns = new Map<string, PendingRun>();

  function startRun(
    id: string,
    start: (watch: Watch, offered: OfferedModel) => Promise<FinishedRun>,
    earlyAnswers: readonly unknown[],
  ) {
    const formatEvent = createProgressFormatter();
    const formatIndexing = throttleProgress();
    const newRun: PendingRun = {
      run: null,
      report: () => {},
      exchange: new Exchange<FinishedRun>(work, earlyAnswers),
    };
    function work(sample: Sample, signal: AbortSignal): Promise<FinishedRun> {
      const watch: Watch = {
        signal,
        onRun: (run) => {
          newRun.run = run;
        },
        onEvent: ({ event }) => {
          const text = formatEvent(event);
          if (text !== null) newRun.report(text);
        },
        onIndex: (progress) => {
          const text = formatIndexing(progress);
          if (text !== null) newRun.report(text);
        },
      };
      return start(watch, { sample, calls: clientRounds });
    }
    pendingRuns.set(id, newRun);
    return newRun;
  }

  /** Returns the run of a call: one that waits in this process, a resumed one of an earlier process, or a new one. */
  function pendingRunFor(
    kind: RunKind,
    kindRequest: KindRequest,
    round: Round | undefined,
    answers: readonly unknown[],
    offersSampling: boolean,
  ) {
    const waitingRun = round === undefined ? undefined : pendingRuns.get(round.exchange);
    if (waitingRun !== undefined) return { id: round!.exchange, pendingRun: waitingRun };
    const id = randomUUID();
    const run = round?.run ?? null;
    const start = (watch: Watch, offeredModel: OfferedModel): Promise<FinishedRun> => {
      const options = { ...(offersSampling && { offered: offeredModel }), ...watch };
      return run === null ? kind.start({ ...kindRequest, ...options }) : kind.resume({ run, ...options });
    };
    return { id, pendingRun: startRun(id, start, answers) };
  }

  function toServedTool(kind: RunKind, definition: RunTool<KindRequest>): ServedTool {
    return {
      definition: definition,
      input: definition.input.extend({ debug }),
      output: runOutput,
      async call({ debug, ...input }, context, offersSampling) {
        const round = context.mcpReq.requestState<Round>();
        const answers = context.mcpReq.inputResponses ?? {};
        const kindRequest = definition.request(input, root);
        const requestWithSettings = { ...kindRequest, settings: { ...settings, ...kindRequest.settings } };
        const { id, pendingRun } = pendingRunFor(
          kind,
          requestWithSettings,
          round,
          Object.values(answers),
          offersSampling,
        );
        pendingRun.report = createReporter(context);
        if (round !== undefined) pendingRun.exchange.passAnswers(answers);
        // Without progress a client may time out, and indexing reports nothing until the first files are found.
        else pendingRun.report(formatProgress({ phase: 'walk', done: 0, total: 0 }));
        try {
          const outcome = await pendingRun.exchange.next(context.mcpReq.signal);
          if (outcome.kind === 'question') {
            const { question } = outcome;
            const params = { ...question.request, messages: [...question.request.messages] };
            return inputRequired({
              inputRequests: { [question.id]: inputRequired.createMessage(params) },
              requestState: await codec.mint({ exchange: id, run: pendingRun.run }),
            });
          }
          pendingRuns.delete(id);
          return answerResult(outcome.result.result, debug === true, redact);
        } catch (thrown) {
          pendingRuns.delete(id);
          return failureResult(thrown, redact);
        } finally {
          pendingRun.report = () => {};
        }
      },
    };
  }

  return {
    tools: kinds.flatMap((kind) => (kind.tool === undefined ? [] : [toServedTool(kind, kind.tool)])),
    settings,
    verify: codec.verify,
    async close() {
      await Promise.allSettled([...pendingRuns.values()].map(({ exchange }) => exchange.end()));
    },
  };
}
