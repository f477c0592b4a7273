/** How the dialogue with a planner begins: with the first search done, and the names of the question looked up. */
import {
  beginDialogue,
  type Call,
  type Dialogue,
  fillPrompt,
  isExtractive,
  learnTokenizer,
  promptFile,
  turnCost,
  uncut,
} from '../../model/index.ts';
import { firewall } from '../../session/index.ts';
import { turnOptions } from '../turn-options.ts';
import { act, roundTokens } from './act.ts';
import { actionsFor } from './actions/registry.ts';
import type { Crew } from './crew.ts';
import { questionPage } from './page.ts';
import type { ResearchState } from './state.ts';
import { identifiersIn } from './terms.ts';
import { toolsOf } from './tools.ts';

const prompt = (name: string) => promptFile(new URL(`./prompts/${name}.md`, import.meta.url));
const system = fillPrompt(prompt('research'), { answer: prompt('answer-rules'), firewall });

/** Names of the question that are looked up before the first turn. */
const openingNames = 3;

/** The question itself is searched for, and the names in it are looked up: most runs need nothing else to begin with. */
export async function open(state: ResearchState, crew: Crew): Promise<ResearchState | null> {
  const actions = actionsFor(crew.material).filter(
    ({ name }) => name !== 'summarize_evidence' || !isExtractive(crew.models.analyst),
  );
  const can = new Set(actions.map(({ name }) => name));
  const names = identifiersIn(state.question).filter(({ sure }) => sure);
  const calls = [
    { name: 'hybrid_search', input: { query: state.question, k: 8 } },
    ...names.slice(0, openingNames).map(({ name }) => ({ name: 'find_definition', input: { symbol: name } })),
  ]
    .filter(({ name }) => can.has(name))
    .map((call, n): Call => ({ kind: 'call', id: `opening_${n}`, fit: 'read', ...call }));
  const key = `step-${state.step}/opening`;
  const acted = await act(state, calls, crew, { key, reasoning: 'the question itself', due: false });
  if (acted === null) return null;
  const tools = toolsOf(actions);
  const begin = (tokens: number) => {
    const { results, shown } = acted(tokens);
    const made = results.map(({ text }, n) => {
      const { name = '', input = {} } = calls[n] ?? {};
      const asked = name === 'hybrid_search' ? 'the question' : JSON.stringify(input);
      return `## ${name} of ${asked}\n${text}`;
    });
    const words = [
      `# Question\n\n${questionPage(state)}`,
      `Scope: ${crew.scope.text ?? 'everything'}`,
      `# Made already\n\n${made.join('\n\n')}`,
    ];
    const dialogue = beginDialogue({ system, tools }, words.join('\n\n'));
    return { dialogue, shown };
  };
  const size = await openingSize(state, crew, (tokens) => begin(tokens).dialogue);
  if (size === null) return null;
  const { dialogue, shown: ids } = begin(size);
  const shown = Object.fromEntries(ids.map((id) => [id, 0]));
  return { ...acted(size).state, talk: { dialogue, cut: uncut, shown, idle: 0 } };
}

/** Evidence of the first words, in tokens: as much as half of what is left pays for. Recorded, since what is left changes. */
async function openingSize(
  state: ResearchState,
  crew: Crew,
  begin: (tokens: number) => Dialogue,
): Promise<number | null> {
  const { planner, prices } = crew.models;
  const most = roundTokens(crew);
  const key = `step-${state.step}/sample`;
  const options = turnOptions(crew, { number: state.step, name: 'research', key, final: false });
  const left = crew.pool.remaining();
  await learnTokenizer(crew.step, key, planner, begin(most), { ...options, left });
  const sized = await crew.step<number>(`step-${state.step}/opening/size`, {
    run: async () => {
      const { tokens, usd } = crew.pool.remaining();
      const pays = (size: number) => {
        const { maxOutputTokens, timeoutMs } = options;
        const cost = turnCost(planner, begin(size), {
          maxOutputTokens,
          timeoutMs,
          ...(prices && { prices }),
        });
        return (cost.tokens ?? 0) <= tokens * openingShare && (cost.usd ?? 0) <= usd * openingShare;
      };
      let size = most;
      while (size > leastOpening && !pays(size)) size = Math.floor(size * 0.8);
      return { value: size };
    },
  });
  return sized.kind === 'done' ? sized.value : null;
}

/** Of what is left, for the first turn; and evidence that it shows in any case, in tokens. */
const openingShare = 0.5;
const leastOpening = 300;
