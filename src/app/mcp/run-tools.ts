/**
 * A tool for each kind of run. It starts a run, lets it ask the client's model if that was agreed, and gives a short
 * answer.
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
import { messageOf, plain, type RunResult, SondeError } from '../../core/index.ts';
import { progressLines } from '../../core/runs.ts';
import type { Sample } from '../../model/index.ts';
import type { FinishedRun, KindRequest, OfferedModel, RunKind, RunTool } from '../runs/run-kind.ts';
import type { Watch } from '../runs/watch.ts';
import { indexLine, indexLines } from '../search/index-progress.ts';
import { resourceEntry, resourceNames } from './addresses.ts';
import { answerText } from './answer-text.ts';
import { Exchange } from './exchange.ts';
import { runOutput, structureAnswer } from './run-output.ts';

/** A parameter of all these tools. */
const debug = z
  .boolean()
  .default(false)
  .describe('Add the addresses of the trace, the evidence, the claims and the report.');

/** How many rounds of questions a client answers in one call: the default of the SDK. */
const clientRounds = 10;

/** The state that a client sends back in the next round. It is sealed, since it comes from outside. */
interface Round {
  readonly exchange: string;
  /** Null until the run is stored. */
  readonly run: string | null;
}

export interface ServedTool {
  readonly about: RunTool<unknown>;
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
  /** As flags give them. */
  readonly settings: NonNullable<RunToolsOptions['settings']>;
  /** Checks the state that a client echoes, for `ServerOptions.requestState`. */
  readonly verify: RequestStateCodec<Round>['verify'];
  /** Ends what is still running; resolves when it has ended. */
  close(): Promise<void>;
}

/** A run, and the call that waits for it at the moment. */
interface Live {
  readonly exchange: Exchange<FinishedRun>;
  /** Called with each line of progress. */
  report: (line: string) => void;
  run: string | null;
}

function progressTo(context: ServerContext): Live['report'] {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // If the client has gone, that is noticed elsewhere.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

export function failureResult(thrown: unknown, redact: (text: string) => string): CallToolResult {
  const known = thrown instanceof SondeError;
  const text = known ? `${thrown.code}: ${thrown.message}` : `internal: ${messageOf(thrown)}`;
  const remedy = known && thrown.remedy !== undefined ? `\n${thrown.remedy}` : '';
  return { isError: true, content: [{ type: 'text', text: redact(plain(`${text}${remedy}`)) }] };
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
    // The answer shows what was found, and says that the question was not answered.
    ...(result.stop_reason === 'model_failed' && { isError: true }),
  };
}

export interface RunToolsOptions {
  /** Kinds without a tool are left out. */
  readonly kinds: readonly RunKind[];
  readonly root: string;
  /** As flags give them. They hold for every question. */
  readonly settings?: { readonly model?: string };
  /** Seals the state of rounds, at least 32 bytes. Another process of this user with the same key can continue. */
  readonly key: Uint8Array;
  readonly redact: (text: string) => string;
}

export function runTools({ kinds, root, settings = {}, key, redact }: RunToolsOptions): ServedTools {
  const codec = createRequestStateCodec<Round>({ key });
  const lives = new Map<string, Live>();

  function live(
    id: string,
    start: (watch: Watch, offered: OfferedModel) => Promise<FinishedRun>,
    gifts: readonly unknown[],
  ) {
    const line = progressLines();
    const indexing = indexLines();
    const begun: Live = { run: null, report: () => {}, exchange: new Exchange<FinishedRun>(work, gifts) };
    function work(sample: Sample, signal: AbortSignal): Promise<FinishedRun> {
      const watch: Watch = {
        signal,
        onRun: (run) => {
          begun.run = run;
        },
        onEvent: ({ event }) => {
          const told = line(event);
          if (told !== null) begun.report(told);
        },
        onIndex: (progress) => {
          const told = indexing(progress);
          if (told !== null) begun.report(told);
        },
      };
      return start(watch, { sample, calls: clientRounds });
    }
    lives.set(id, begun);
    return begun;
  }

  /** The run of a call: a new one, one that waits in this process, or one that another process left. */
  function liveFor(
    kind: RunKind,
    kindRequest: KindRequest,
    round: Round | undefined,
    answers: readonly unknown[],
    sampling: boolean,
  ) {
    const known = round === undefined ? undefined : lives.get(round.exchange);
    if (known !== undefined) return { id: round!.exchange, live: known };
    const id = randomUUID();
    const run = round?.run ?? null;
    const start = (watch: Watch, offered: OfferedModel): Promise<FinishedRun> => {
      const lent = { ...(sampling && { offered }), ...watch };
      return run === null ? kind.start({ ...kindRequest, ...lent }) : kind.resume({ run, ...lent });
    };
    return { id, live: live(id, start, answers) };
  }

  function serve(kind: RunKind, about: RunTool<KindRequest>): ServedTool {
    return {
      about,
      input: about.input.extend({ debug }),
      output: runOutput,
      async call({ debug, ...input }, context, offersSampling) {
        const round = context.mcpReq.requestState<Round>();
        const answers = context.mcpReq.inputResponses ?? {};
        const kindRequest = about.request(input, root);
        const asked = { ...kindRequest, settings: { ...settings, ...kindRequest.settings } };
        const { id, live } = liveFor(kind, asked, round, Object.values(answers), offersSampling);
        live.report = progressTo(context);
        if (round !== undefined) live.exchange.deliver(answers);
        // A client that hears nothing gives up, and indexing is silent until the first files are found.
        else live.report(indexLine({ phase: 'walk', done: 0, total: 0 }));
        try {
          const outcome = await live.exchange.next(context.mcpReq.signal);
          if (outcome.kind === 'question') {
            const { question } = outcome;
            const params = { ...question.request, messages: [...question.request.messages] };
            return inputRequired({
              inputRequests: { [question.id]: inputRequired.createMessage(params) },
              requestState: await codec.mint({ exchange: id, run: live.run }),
            });
          }
          lives.delete(id);
          return answerResult(outcome.result.result, debug === true, redact);
        } catch (thrown) {
          lives.delete(id);
          return failureResult(thrown, redact);
        } finally {
          live.report = () => {};
        }
      },
    };
  }

  return {
    tools: kinds.flatMap((kind) => (kind.tool === undefined ? [] : [serve(kind, kind.tool)])),
    settings,
    verify: codec.verify,
    async close() {
      await Promise.allSettled([...lives.values()].map(({ exchange }) => exchange.end()));
    },
  };
}
