/** Runs one action within its time limit. An error that it throws and a timeout become expected failures. */
import { isSondeError, messageOf, resourceNames } from '../../../core/index.ts';
import type { Action, ActionOutcome } from '../actions/action.ts';
import { actionsFor } from '../actions/registry.ts';
import { evidencePage, questionPage } from '../dialogue/page.ts';
import { collect } from '../material/collect.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState } from '../state.ts';

export interface ActionRun {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: ResearchState;
  /** Unique within the run. The key of a model call that the action makes begins with this key. */
  readonly key: string;
  /** True if the run must answer now: then the action may use the time reserved for the answer. */
  readonly isAnswerDue: boolean;
  /** A model will read the outcome, so that each line must have an evidence id that it can cite. */
  readonly citable?: boolean;
}

export async function runAction(run: ActionRun, context: RunContext): Promise<ActionOutcome> {
  const actions = actionsFor(context.material);
  const action = actions.find(({ name }) => name === run.name);
  if (action === undefined) {
    const names = actions.map(({ name }) => name);
    return { kind: 'failed', message: `There is no action ${run.name} here; there are ${names.join(', ')}.` };
  }
  const input = action.input.safeParse(run.input);
  if (!input.success) {
    const issue = input.error.issues[0];
    return {
      kind: 'failed',
      message: `${issue?.path.join('.') ?? 'the input'}: ${issue?.message ?? 'unfit'}`,
    };
  }
  return runTimed(action, input.data, run, context);
}

async function runTimed(
  action: Action,
  input: Readonly<Record<string, unknown>>,
  run: ActionRun,
  context: RunContext,
): Promise<ActionOutcome> {
  const allowedMs = Math.min(context.limits.action_ms, context.pool.timeLeft({ final: run.isAnswerDue }));
  const timeout = new AbortController();
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  let timer: NodeJS.Timeout | undefined;
  const stop = new Promise<ActionOutcome>((resolve) => {
    timer = setTimeout(
      () => {
        resolve({
          kind: 'failed',
          message: `${action.name} took longer than ${allowedMs / 1000} s and was stopped: ask for less at once.`,
        });
        timeout.abort();
      },
      Math.max(0, allowedMs),
    );
    context.signal.addEventListener('abort', () => resolve({ kind: 'failed', message: 'cancelled' }), {
      once: true,
      signal: timeout.signal,
    });
  });
  try {
    return await Promise.race([runSafely(action, input, run, signal, context), stop]);
  } finally {
    clearTimeout(timer);
    timeout.abort();
  }
}

async function runSafely(
  action: Action,
  input: Readonly<Record<string, unknown>>,
  run: ActionRun,
  signal: AbortSignal,
  context: RunContext,
): Promise<ActionOutcome> {
  const { material, scope } = context;
  const { state } = run;
  let bug: unknown;
  const keepBug = (thrown: unknown): never => {
    bug = thrown;
    throw thrown;
  };
  try {
    return await action.run(input, {
      question: state.question,
      material,
      scope,
      evidence: state.evidence,
      turns: state.turns,
      signal,
      citable: run.citable === true,
      collect: (spans) => collect(material.text, scope, spans),
      summarize: (goal) => summarize(goal, run, context).catch(keepBug),
      rerank: (definitions) =>
        import('./rerank.ts')
          .then(({ rerank }) => rerank(definitions, { state, key: `${run.key}/rerank`, signal }, context))
          .catch(keepBug),
    });
  } catch (thrown) {
    // `summarize` and `rerank` return a model's failure as a value. An error that they throw is a bug, and ends the
    // run.
    if (bug !== undefined) throw bug;
    // An error of a port fails the action, not the run. Without its lease, however, the run must stop.
    if (isSondeError(thrown, 'lease_lost') || isSondeError(thrown, 'internal')) throw thrown;
    const remedy = isSondeError(thrown) && thrown.remedy !== undefined ? ` ${thrown.remedy}` : '';
    return { kind: 'failed', message: `${messageOf(thrown)}${remedy}` };
  }
}

async function summarize(goal: string, { state, key }: ActionRun, context: RunContext) {
  const [{ ask }, { summarizeEvidence }] = await Promise.all([
    import('../dialogue/ask.ts'),
    import('../dialogue/signatures.ts'),
  ]);
  const askOutcome = await ask(
    context,
    summarizeEvidence,
    { question: questionPage(state), goal, evidence: evidencePage(state, 12_000) },
    {
      model: context.models.analyst,
      step: state.step,
      key: `${key}/summary`,
      final: false,
      maxOutputTokens: 2_000,
    },
  );
  switch (askOutcome.kind) {
    case 'value':
      return { memo: askOutcome.value.memo };
    case 'exhausted':
      return {
        failure: `The budget (${resourceNames[askOutcome.exhausted.resource]}) is too small for a summary.`,
      };
    case 'cancelled':
      return { failure: 'cancelled' };
    default:
      return { failure: `The analyst gave no summary: ${askOutcome.message}` };
  }
}
