/** The beginning of the dialogue with a planner: the first search and the definitions of names in the question. */
import { injectionGuard } from '../../../core/index.ts';
import {
  beginDialogue,
  type Call,
  type Dialogue,
  fillPrompt,
  inputRoom,
  isExtractive,
  learnTokenizer,
  promptFile,
  turnCost,
  uncut,
} from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import { lookAroundName } from '../actions/look-around.ts';
import { actionsFor } from '../actions/registry.ts';
import { rerankDefinitionsName, searchDefinitionsName } from '../actions/search-definitions.ts';
import { namesToLookUp } from '../lines/terms.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState } from '../state.ts';
import { makeCalls, roundTokens } from '../step/act.ts';
import { questionPage } from './page.ts';
import { toolsOf } from './tools.ts';

const readPrompt = (name: string) => promptFile(new URL(`../prompts/${name}.md`, import.meta.url));
const system = fillPrompt(readPrompt('research'), {
  answer: readPrompt('answer-rules'),
  firewall: injectionGuard,
});

/** Actions whose results are left out of the first message if they found nothing. */
const leftOutIfEmpty: ReadonlySet<string> = new Set([
  'find_definition',
  'find_references',
  searchDefinitionsName,
  rerankDefinitionsName,
]);

const headings: Readonly<Record<string, string>> = {
  hybrid_search: 'Search for the question',
  find_definition: 'Definition',
  find_references: 'Uses',
  [searchDefinitionsName]: 'Definitions that say most about the question',
  [rerankDefinitionsName]: 'Definitions that another model put first',
};

/** Number of hits of the first search. The best are shown in full, and some of the others by one line each. */
const openingHits = 20;

/**
 * Begins the dialogue: searches for the question, looks up the names in it, and shows the results in the first message.
 * Null if the person stopped the run meanwhile.
 */
export async function openDialogue(state: ResearchState, context: RunContext): Promise<ResearchState | null> {
  const actions = actionsFor(context.material).filter(({ name }) => isOffered(name, context));
  const offeredNames = new Set(actions.map(({ name }) => name));
  const names = namesToLookUp(state.question).map((symbol) => ({ symbol }));
  const calls = [
    ...names.map((input) => ({ name: 'find_definition', input })),
    { name: rerankDefinitionsName, input: { query: state.question } },
    { name: searchDefinitionsName, input: { query: state.question } },
    { name: 'hybrid_search', input: { query: state.question, k: openingHits } },
    { name: lookAroundName, input: { query: state.question } },
    ...(context.start.users === true ? names.map((input) => ({ name: 'find_references', input })) : []),
  ]
    .filter(({ name }) => offeredNames.has(name) || isAddedByProgram(name, context))
    .map((call, n): Call => ({ kind: 'call', id: `opening_${n}`, fit: 'read', ...call }));
  const key = `step-${state.step}/opening`;
  const formatResults = await makeCalls(state, calls, context, {
    key,
    reasoning: 'the question itself',
    isAnswerDue: false,
    byProgram: true,
  });
  if (formatResults === null) return null;
  const tools = toolsOf(actions);
  const beginWith = (tokens: number) => {
    const { results, shown, state: nextState } = formatResults(tokens);
    const turns = nextState.turns.slice(state.turns.length);
    const sections = results.flatMap(({ text }, n) => {
      const { name = '', input = {} } = calls[n] ?? {};
      const heading = name === lookAroundName ? 'Folders and definitions' : (headings[name] ?? name);
      const ofSymbol = typeof input['symbol'] === 'string' ? ` of ${input['symbol']}` : '';
      // The model did not ask for these look-ups, so a name without a definition need not be reported.
      const isEmpty = leftOutIfEmpty.has(name) && turns[n]?.evidence.length === 0;
      return isEmpty ? [] : [`## ${heading}${ofSymbol}\n${text}`];
    });
    const blocks = [
      `# Question\n\n${questionPage(state)}`,
      `Scope: ${context.scope.text ?? 'everything'}`,
      ...(sections.length === 0 ? [] : [`# Made already\n\n${sections.join('\n\n')}`]),
    ];
    const dialogue = beginDialogue({ system, tools }, blocks.join('\n\n'));
    return { dialogue, shown };
  };
  const size = await openingSize(state, context, (tokens) => beginWith(tokens).dialogue);
  if (size === null) return null;
  const { dialogue, shown: ids } = beginWith(size);
  const shown = Object.fromEntries(ids.map((id) => [id, 0]));
  return { ...formatResults(size).state, talk: { dialogue, cut: uncut, shown, idle: 0 } };
}

/** Whether the program adds this look-up to the opening, though no planner is offered it. */
const isAddedByProgram = (name: string, { start }: RunContext): boolean =>
  (name === lookAroundName && start.around === true) ||
  (name === searchDefinitionsName && start.definitions === true) ||
  (name === rerankDefinitionsName && start.rerank === true);

/** Tools for shortening a long dialogue are offered only if the model needs them. */
function isOffered(name: string, { material, models: { planner, analyst } }: RunContext): boolean {
  if (material.withheld?.includes(name) === true) return false;
  const hasSmallWindow = inputRoom(planner, 0) < minLargeWindow;
  if (name === 'drop_evidence') return hasSmallWindow;
  if (name === searchDefinitionsName || name === rerankDefinitionsName || name === lookAroundName)
    return false;
  return name !== 'summarize_evidence' || (hasSmallWindow && !isExtractive(analyst));
}

/** Minimum tokens of a large window. A research with the default limits fits into it. */
const minLargeWindow = 100_000;

/**
 * Tokens of evidence in the first message, as much as half of the remaining budget pays for. The size is recorded,
 * since a resumed run has another remaining budget.
 */
async function openingSize(
  state: ResearchState,
  context: RunContext,
  beginWith: (tokens: number) => Dialogue,
): Promise<number | null> {
  const { planner, prices } = context.models;
  const max = roundTokens(context);
  const key = `step-${state.step}/sample`;
  const options = turnOptions(context, { number: state.step, name: 'research', key, final: false });
  const left = context.pool.remaining();
  await learnTokenizer(context.step, key, planner, beginWith(max), { ...options, left });
  const sizeStep = await context.step<number>(`step-${state.step}/opening/size`, {
    run: async () => {
      const { tokens, usd } = context.pool.remaining();
      const isAffordable = (size: number) => {
        const { maxOutputTokens, timeoutMs } = options;
        const cost = turnCost(planner, beginWith(size), {
          maxOutputTokens,
          timeoutMs,
          ...(prices && { prices }),
        });
        return (
          (cost.tokens ?? 0) <= tokens * openingBudgetShare && (cost.usd ?? 0) <= usd * openingBudgetShare
        );
      };
      let size = max;
      while (size > minOpeningTokens && !isAffordable(size)) size = Math.floor(size * 0.8);
      return { value: size };
    },
  });
  return sizeStep.kind === 'done' ? sizeStep.value : null;
}

/** The share of the remaining budget for the first turn, and the minimum tokens of evidence in it. */
const openingBudgetShare = 0.5;
const minOpeningTokens = 300;
