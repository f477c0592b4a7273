/** One turn of a model carried out: its questions put, each once, and what came of them. */
import type { Crew } from '../crew.ts';
import type { TurnReply } from '../signatures.ts';
import { type CallMade, type IncidentState, merged } from '../state.ts';
import { unasked } from './page.ts';
import { answeredBefore, putQuestion } from './put-question.ts';
import { reasonOver } from './reason.ts';
import { fromOnset, taken } from './seeds.ts';
import type { GatherTool } from './tools.ts';

/** This near to the end of the turns, nobody is kept from concluding. */
const nearEnd = 3;
/** What lives from one turn to the next, besides the state. */
export interface Progress {
  readonly stagnant: number;
  readonly told: string | null;
  readonly shown: readonly string[];
  readonly recalled: readonly string[];
}

export const fresh: Progress = { stagnant: 0, told: null, shown: [], recalled: [] };

export type Turned =
  | { readonly kind: 'next'; readonly state: IncidentState; readonly progress: Progress }
  | { readonly kind: 'conclude'; readonly state: IncidentState; readonly pressure: 'budget' | 'stagnant' }
  | { readonly kind: 'end'; readonly state: IncidentState };

export async function carriedOut(
  state: IncidentState,
  progress: Progress,
  tools: readonly GatherTool[],
  { calls, conclusion, reasoning }: TurnReply,
  iteration: number,
  crew: Crew,
): Promise<Turned> {
  const said = conclusion?.trim() ?? '';
  if (calls.length === 0) {
    const open = unasked(state);
    if (said !== '' && patient(crew) && open.length > 0 && iteration <= crew.limits.iterations - nearEnd)
      return next(state, {
        ...fresh,
        stagnant: 0,
        told: `Do not conclude yet. These planned questions were not asked: ${open.join(', ')}.`,
      });
    if (said !== '') return { kind: 'end', state: merged(state, { conclusion: said, stop: 'finalized' }) };
    return next(state, {
      ...fresh,
      stagnant: progress.stagnant + 1,
      told: 'You neither asked nor concluded. Ask something new, or conclude.',
    });
  }
  let current = state;
  let anew = false;
  const shown: string[] = [];
  const recalled: string[] = [];
  const remarks: string[] = [];
  for (const call of calls) {
    const tool = tools.find(({ name }) => name === call.tool);
    const before = answeredBefore(current.calls, call.tool, call.arguments);
    if (tool === undefined) {
      current = noted(current, refused(call, iteration, 'there is no such tool'));
      remarks.push(`There is no tool ${call.tool}.`);
    } else if (before !== null && tool.question !== null) {
      current = noted(current, {
        ...before,
        iteration,
        outcome: 'duplicate',
        summary: `asked before at turn ${before.iteration}: ${before.summary}`,
      });
      recalled.push(...before.evidence.slice(0, 4));
      remarks.push(`${call.tool} was asked before with the same arguments; you have its result.`);
    } else if (tool.question === null) {
      const reasoned = reasonOver(current, call.tool, call.arguments, iteration);
      const repeated = before !== null && call.tool !== 'recall_evidence';
      current = noted(current, repeated ? { ...reasoned.call, outcome: 'duplicate' } : reasoned.call);
      anew ||= !repeated && reasoned.call.outcome !== 'refused' && before === null;
      if (reasoned.shown !== null) shown.push(reasoned.shown);
      recalled.push(...reasoned.recalled);
    } else {
      const checked = tool.question.parameters.safeParse(call.arguments);
      if (!checked.success) {
        const issue = checked.error.issues[0];
        const why = `${issue?.path.join('.') ?? 'arguments'}: ${issue?.message ?? 'unfit'}`;
        current = noted(current, refused(call, iteration, why));
        remarks.push(`${call.tool} was not asked: ${why}.`);
        continue;
      }
      const key = `turn-${iteration}/call-${current.calls.length + 1}`;
      const put = await putQuestion(current, crew, tool, call.arguments, { iteration, key, reasoning });
      if (put === null) return { kind: 'end', state: merged(current, { stop: 'cancelled' }) };
      current = taken(current, put);
      if (tool.question.topic === 'metrics') current = fromOnset(current);
      anew = true;
      if (put.call.outcome === 'failed')
        remarks.push(`${call.tool} failed: ${put.call.summary.slice(0, 200)}. It may be tried again.`);
    }
  }
  const put = new Set(tools.flatMap(({ name, question }) => (question === null ? [] : [name])));
  traced(
    current.calls
      .slice(state.calls.length)
      .filter(({ tool, outcome }) => !put.has(tool) || outcome === 'duplicate' || outcome === 'refused'),
    iteration,
    reasoning,
    crew,
  );
  const nudge = anew
    ? []
    : [
        'Nothing of this turn was new. Ask something else, or conclude: a second turn like it takes the tools away.',
      ];
  const told = [...new Set([...remarks, ...nudge])].join(' ');
  return next(current, {
    stagnant: anew ? 0 : progress.stagnant + 1,
    told: told === '' ? null : told.slice(0, 1_500),
    shown,
    recalled,
  });
}

const next = (state: IncidentState, progress: Progress): Turned => ({ kind: 'next', state, progress });
const noted = (state: IncidentState, call: CallMade): IncidentState =>
  merged(state, { calls: [...state.calls, call] });

/** What was not put to a system stands in the trace all the same. */
function traced(calls: readonly CallMade[], iteration: number, reasoning: string, { log }: Crew): void {
  for (const [n, { tool, arguments: input, outcome, summary, evidence }] of calls.entries()) {
    const key = `turn-${iteration}/answered-${n + 1}`;
    log.append(`${key}/started`, {
      kind: 'action_started',
      step: iteration,
      call: key,
      action: tool,
      input,
      reasoning,
    });
    log.append(`${key}/finished`, {
      kind: 'action_finished',
      step: iteration,
      call: key,
      action: tool,
      outcome: outcome === 'duplicate' ? 'cached' : outcome === 'refused' ? 'error' : 'ok',
      summary,
      evidence,
      fresh: 0,
      completeness: 'complete',
      wall_ms: 0,
    });
  }
}

const refused = (call: TurnReply['calls'][number], iteration: number, summary: string): CallMade => ({
  iteration,
  tool: call.tool.slice(0, 80),
  arguments: call.arguments,
  outcome: 'refused',
  summary,
  evidence: [],
});

/** Agents of the command line tend to conclude with the first result in hand. */
const patient = ({ models }: Crew): boolean => /^(claude|codex)-cli\b/.test(models.planner.name);
