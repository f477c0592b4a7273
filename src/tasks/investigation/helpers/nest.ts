/** `investigate()` of the sandbox: runs nested investigations, which share the pool and the capabilities. */
import { checkCase } from '../../../catalogue/code/scope-case.ts';
import { createScope } from '../../../catalogue/index.ts';
import { isSondeError, SondeError } from '../../../core/index.ts';
import { runParallel } from '../report/in-window.ts';
import type { TreeNode } from '../run-context.ts';
import { type NodeState, noGains, plusGains } from '../state.ts';
import type { Slot } from './ask.ts';
import { type Helper, type HelperCall, refuse, textsArgument } from './helper.ts';

const maxPromptLength = 8000;
/** Maximum prompts of one call. */
const maxPrompts = 1_000;
/** Maximum characters of a nested answer: it becomes a value in Python, not part of a prompt. */
const maxAnswerLength = 20_000;

/** Makes the helper. `run` must run a nested investigation to its end, and throw only if the whole run has to end. */
export function nestInvestigations(run: (place: TreeNode) => Promise<NodeState>): Helper {
  return async (args, call) => {
    const { runContext: context, place, cell, number, signal } = call;
    const prompts = textsArgument(args, 'prompts', maxPrompts, maxPromptLength);
    const contexts = Array.isArray(args['contexts']) ? args['contexts'] : prompts.map(() => null);
    if (contexts.length !== prompts.length)
      refuse(`${prompts.length} prompts and ${contexts.length} contexts`);
    if (place.depth >= context.limits.depth)
      throw new SondeError('run_state', {
        message: `investigations nest ${context.limits.depth} deep and no deeper`,
        remedy: 'Do the work here, or ask a model with llm_query.',
      });
    const givenScope = args['scope'];
    if (typeof givenScope === 'string')
      await checkCase(givenScope, context.material, place.scope.admits, signal);
    const name = `${cell.label}-${number}`;
    const width = Math.min(prompts.length, context.limits.children);
    const states = await runParallel(
      prompts.map((prompt, index) => async () => {
        const nestedName = prompts.length === 1 ? name : `${name}.${index}`;
        const nestedKey = `${place.key}/${nestedName}`;
        return run({
          key: nestedKey,
          depth: place.depth + 1,
          step: cell.step,
          prompt,
          context: contexts[index] ?? null,
          scope: narrowScope(place, args['scope']),
          form: null,
          turns: await maxTurnsOf(nestedKey, width, call),
          pool: place.pool.child(nestedName),
        });
      }),
      width,
    );
    let gains = noGains;
    for (const state of states) gains = plusGains(gains, { ...state.gains, final: null, offered: null });
    return {
      value: states.map(toSlot),
      gains,
      summary: `${states.length} nested: ${states.map(statusOf).join(', ')}`,
    };
  };
}

function narrowScope({ scope }: TreeNode, givenScope: unknown): TreeNode['scope'] {
  if (givenScope === undefined || givenScope === null) return scope;
  if (typeof givenScope !== 'string') return refuse('scope must be a text, such as "src/**,!src/vendor"');
  const givenPart = createScope(givenScope);
  return {
    text: scope.text === undefined ? givenPart.text : scope.text,
    admits: (path) => scope.admits(path) && givenPart.admits(path),
  };
}

/**
 * Maximum turns of a nested investigation: half of the remaining turns of the tree, divided among the parallel ones, so
 * that a looping one leaves some for later ones. Recorded, since the remaining turns change.
 */
async function maxTurnsOf(
  key: string,
  width: number,
  { runContext: context, place }: HelperCall,
): Promise<number> {
  // Version 0.1 had no shares: its runs are replayed without them.
  if (context.isVersion01) return Infinity;
  const stepResult = await context.step<number | null>(`${key}/turns`, {
    deferCommit: true,
    async run() {
      const { steps } = place.pool.remaining();
      return { value: Number.isFinite(steps) ? Math.max(1, Math.floor(steps / (2 * width))) : null };
    },
  });
  return stepResult.kind === 'done' && stepResult.value !== null ? stepResult.value : Infinity;
}

function statusOf({ pending }: NodeState): string {
  return pending.kind === 'end' ? pending.end.status : 'failed';
}

function toSlot(state: NodeState): Slot {
  const end = state.pending.kind === 'end' ? state.pending.end : null;
  const status = end?.status ?? 'failed';
  const { final } = state.gains;
  const answer = final === null ? bestAnswer(state) : final.answer;
  if (answer === null)
    return {
      error: `the nested investigation ended as ${status} without an answer${end?.trouble ? `: ${end.trouble}` : ''}`,
      code: status === 'budget_exhausted' ? 'budget' : status,
    };
  const text = typeof answer === 'string' ? answer.slice(0, maxAnswerLength) : answer;
  return { value: { answer: text as string, status } };
}

/**
 * The answer of an investigation that ended without FINAL: the one that was returned for revision, or else the text in
 * `draft`; null without either.
 */
export function bestAnswer({ cells, gains }: NodeState): unknown {
  return gains.offered?.answer ?? cells.findLast(({ draft }) => draft !== null)?.draft ?? null;
}

export function isFatal(thrown: unknown): boolean {
  if (!isSondeError(thrown)) return true;
  return fatalCodes.has(thrown.code);
}

/** Errors that end the run, not only the call. */
const fatalCodes: ReadonlySet<string> = new Set([
  'lease_lost',
  'pool_misuse',
  'store_unusable',
  'store_locked',
  'store_version',
  'store_corrupt',
  'internal',
]);
