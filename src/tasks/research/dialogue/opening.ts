/** The beginning of the dialogue with a planner: the first search and the definitions of names in the question. */
import { firewall } from '../../../core/index.ts';
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
import { around } from '../actions/look-around.ts';
import { actionsFor } from '../actions/registry.ts';
import { bestDefinitions, rerankedDefinitions } from '../actions/search-definitions.ts';
import { namesToLookUp } from '../lines/terms.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState } from '../state.ts';
import { act, roundTokens } from '../step/act.ts';
import { questionPage } from './page.ts';
import { toolsOf } from './tools.ts';

const prompt = (name: string) => promptFile(new URL(`../prompts/${name}.md`, import.meta.url));
const system = fillPrompt(prompt('research'), { answer: prompt('answer-rules'), firewall });

/** Look-ups that are left out of the first message if they found nothing. */
const ofNames: ReadonlySet<string> = new Set([
  'find_definition',
  'find_references',
  bestDefinitions,
  rerankedDefinitions,
]);

const heads: Readonly<Record<string, string>> = {
  hybrid_search: 'Search for the question',
  find_definition: 'Definition',
  find_references: 'Uses',
  [bestDefinitions]: 'Definitions that say most about the question',
  [rerankedDefinitions]: 'Definitions that another model put first',
};

/** Number of hits of the first search. The best are shown in full, and some of the others by one line each. */
const openingHits = 20;

/**
 * The question itself is searched for, and the names in it are looked up: most runs need nothing else to begin with.
 */
export async function open(state: ResearchState, context: RunContext): Promise<ResearchState | null> {
  const actions = actionsFor(context.material).filter(({ name }) => isOffered(name, context));
  const can = new Set(actions.map(({ name }) => name));
  const names = namesToLookUp(state.question).map((symbol) => ({ symbol }));
  const calls = [
    ...names.map((input) => ({ name: 'find_definition', input })),
    { name: rerankedDefinitions, input: { query: state.question } },
    { name: bestDefinitions, input: { query: state.question } },
    { name: 'hybrid_search', input: { query: state.question, k: openingHits } },
    { name: around, input: { query: state.question } },
    ...(context.start.users === true ? names.map((input) => ({ name: 'find_references', input })) : []),
  ]
    .filter(({ name }) => can.has(name) || isOwn(name, context))
    .map((call, n): Call => ({ kind: 'call', id: `opening_${n}`, fit: 'read', ...call }));
  const key = `step-${state.step}/opening`;
  const acted = await act(state, calls, context, {
    key,
    reasoning: 'the question itself',
    due: false,
    unasked: true,
  });
  if (acted === null) return null;
  const tools = toolsOf(actions);
  const begin = (tokens: number) => {
    const { results, shown, state: after } = acted(tokens);
    const turns = after.turns.slice(state.turns.length);
    const made = results.flatMap(({ text }, n) => {
      const { name = '', input = {} } = calls[n] ?? {};
      const head = name === around ? 'Folders and definitions' : (heads[name] ?? name);
      const asked = typeof input['symbol'] === 'string' ? ` of ${input['symbol']}` : '';
      // Nobody asked for these look-ups: a name without a definition need not be reported.
      const empty = ofNames.has(name) && turns[n]?.evidence.length === 0;
      return empty ? [] : [`## ${head}${asked}\n${text}`];
    });
    const words = [
      `# Question\n\n${questionPage(state)}`,
      `Scope: ${context.scope.text ?? 'everything'}`,
      ...(made.length === 0 ? [] : [`# Made already\n\n${made.join('\n\n')}`]),
    ];
    const dialogue = beginDialogue({ system, tools }, words.join('\n\n'));
    return { dialogue, shown };
  };
  const size = await openingSize(state, context, (tokens) => begin(tokens).dialogue);
  if (size === null) return null;
  const { dialogue, shown: ids } = begin(size);
  const shown = Object.fromEntries(ids.map((id) => [id, 0]));
  return { ...acted(size).state, talk: { dialogue, cut: uncut, shown, idle: 0 } };
}

/** Look-ups that only the program makes: no planner is offered them. */
const isOwn = (name: string, { start }: RunContext): boolean =>
  (name === around && start.around === true) ||
  (name === bestDefinitions && start.definitions === true) ||
  (name === rerankedDefinitions && start.rerank === true);

/** Tools for shortening a long dialogue are offered only if the model needs them. */
function isOffered(name: string, { material, models: { planner, analyst } }: RunContext): boolean {
  if (material.withheld?.includes(name) === true) return false;
  const small = inputRoom(planner, 0) < largeWindow;
  if (name === 'drop_evidence') return small;
  if (name === bestDefinitions || name === rerankedDefinitions || name === around) return false;
  return name !== 'summarize_evidence' || (small && !isExtractive(analyst));
}

/** Tokens from which a model's window counts as large. A research with the usual limits stays below it. */
const largeWindow = 100_000;

/**
 * Tokens of evidence in the first message: as much as half of the remaining budget pays for. The size is recorded,
 * since the remaining budget changes.
 */
async function openingSize(
  state: ResearchState,
  context: RunContext,
  begin: (tokens: number) => Dialogue,
): Promise<number | null> {
  const { planner, prices } = context.models;
  const max = roundTokens(context);
  const key = `step-${state.step}/sample`;
  const options = turnOptions(context, { number: state.step, name: 'research', key, final: false });
  const left = context.pool.remaining();
  await learnTokenizer(context.step, key, planner, begin(max), { ...options, left });
  const sized = await context.step<number>(`step-${state.step}/opening/size`, {
    run: async () => {
      const { tokens, usd } = context.pool.remaining();
      const pays = (size: number) => {
        const { maxOutputTokens, timeoutMs } = options;
        const cost = turnCost(planner, begin(size), {
          maxOutputTokens,
          timeoutMs,
          ...(prices && { prices }),
        });
        return (cost.tokens ?? 0) <= tokens * openingShare && (cost.usd ?? 0) <= usd * openingShare;
      };
      let size = max;
      while (size > minOpening && !pays(size)) size = Math.floor(size * 0.8);
      return { value: size };
    },
  });
  return sized.kind === 'done' ? sized.value : null;
}

/** The share of the remaining budget for the first turn, and the tokens of evidence that it shows in any case. */
const openingShare = 0.5;
const minOpening = 300;
