/**
 * The research without a model, by a fixed policy: search with the question; find where the names in it are defined;
 * search with these names alone; follow the names in the best lines; then quote the best lines.
 */
import { canonicalJson, type Evidence } from '../../core/index.ts';
import { actionsFor } from './actions/registry.ts';
import { bestDefinitions, rerankedDefinitions } from './actions/search-definitions.ts';
import { isProse } from './lines/extract.ts';
import { asQuote, type TellingLine, tellingLines, type Weights, weightsOver } from './lines/telling-lines.ts';
import { identifiersIn, parts, stem, termsOf } from './lines/terms.ts';
import type { RunContext } from './run-context.ts';
import { type Choice, cancel, type Pressure, type ResearchState, type Turn, withEnd } from './state.ts';

/** Maximum number of names to look up: from the question, and from the best lines. */
const ownNames = 3;
const metNames = 2;
/** Number of files that are searched for definitions. */
const closeFiles = 2;
const rareWords = 6;

export async function nextByPolicy(
  state: ResearchState,
  context: RunContext,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const key = `step-${state.step}/choice`;
  const chosen = await context.step<Choice | null>(key, {
    cheap: true,
    run: async () => ({ value: nextOf(state, context) }),
  });
  if (chosen.kind !== 'done') return cancel(state);
  const choice = chosen.value;
  // The last step answers, unless nothing has been looked at: then it looks first.
  const due = pressure === 'budget' && state.turns.length > 0;
  if (choice === null || due)
    return withEnd(state, {
      stop: choice === null ? 'finalized' : 'budget',
      answer: null,
      confidence: null,
      trouble: null,
    });
  const next = pressure === 'budget' ? ({ kind: 'choose', pressure } as const) : ({ kind: 'plan' } as const);
  return { ...state, pending: { kind: 'act', choice, next } };
}

/** The first thing of the policy that was not done yet. */
function nextOf(state: ResearchState, context: RunContext): Choice | null {
  const { question, turns } = state;
  const can = new Set(actionsFor(context.material).map(({ name }) => name));
  const done = new Set(turns.map(({ action, input }) => `${action} ${canonicalJson(input)}`));
  for (const choice of wishes(question, state, context.start.rerank === true))
    if (can.has(choice.action) && !done.has(`${choice.action} ${canonicalJson(choice.input)}`)) return choice;
  return null;
}

function* wishes(question: string, state: ResearchState, rerank: boolean): Generator<Choice> {
  yield wish('hybrid_search', { query: question, k: 12 }, 'the question itself');
  const isBest = ({ action, outcome }: Turn) => action === rerankedDefinitions && outcome === 'ok';
  if (rerank)
    yield wish(rerankedDefinitions, { query: question }, 'the definitions, put in order by a model');
  if (!state.turns.some(isBest))
    yield wish(bestDefinitions, { query: question }, 'the definitions in the best files');
  const names = identifiersIn(question).slice(0, ownNames);
  for (const { name } of names) yield wish('find_definition', { symbol: name }, 'named in the question');
  const sure = names.filter((identifier) => identifier.sure).map(({ name }) => name);
  if (sure.length > 0)
    yield wish('hybrid_search', { query: sure.join(' '), k: 8 }, 'the names in the question alone');
  const pattern = definitionsWith(question, state);
  for (const path of pattern === null ? [] : firstFiles(state))
    yield wish(
      'grep',
      { pattern, ignore_case: true, path },
      'definitions in the best files that share words with the question',
    );
  for (const name of findNames(question, sure, state))
    yield wish('find_definition', { symbol: name }, 'named in the best lines');
}

/** The first files of the first search, taken from that search alone: later steps must not move them. */
function firstFiles({ turns, evidence }: ResearchState): readonly string[] {
  const first = turns.find(({ action, outcome }) => action === 'hybrid_search' && outcome === 'ok');
  const paths = first?.evidence.map((id) => evidence.find((item) => item.id === id)?.file_path ?? '') ?? [];
  return [...new Set(paths)].filter((path) => path !== '' && !isProse(path)).slice(0, closeFiles);
}

/** A pattern for the lines that define something named after words of the question, the rarest of them. */
function definitionsWith(question: string, { turns, evidence }: ResearchState): string | null {
  const first = new Set(turns.find(({ action }) => action === 'hybrid_search')?.evidence);
  const weights = weightsOver(
    termsOf(question),
    evidence.filter(({ id }) => first.has(id)),
  );
  // Words that are in most of the results would match every definition there.
  const rarest = Math.max(0, ...weights.values());
  const words = [...weights]
    .filter(([term, weight]) => term.length > 2 && weight > rarest / 2 && /^[\p{L}\p{N}]+$/u.test(term))
    .sort((a, b) => b[1] - a[1])
    .slice(0, rareWords)
    .map(([term]) => term);
  if (words.length === 0) return null;
  return `\\b(def|class|fn|func|function|const|type|interface|struct|enum|trait|impl|module)\\s.*(${words.join('|')})`;
}

const wish = (action: string, input: Readonly<Record<string, unknown>>, reasoning: string): Choice => ({
  action,
  input,
  reasoning,
});

/**
 * Names in the telling lines of the first search that share a word with the question. Taken from that search
 * alone, so that following one name does not change which come next.
 */
function findNames(question: string, known: readonly string[], state: ResearchState): readonly string[] {
  const first = state.turns.find(({ action }) => action === 'hybrid_search');
  if (first === undefined) return [];
  const best = state.evidence.filter(({ id }) => first.evidence.slice(0, 4).includes(id));
  const terms = new Set(termsOf(question));
  const weights = weightsOver([...terms], best);
  const met = new Map<string, number>();
  for (const item of best)
    for (const { text } of bestLines(item, weights, known))
      for (const { name } of identifiersIn(asQuote(text, state.question)).filter(
        (identifier) => identifier.sure,
      )) {
        const shared = parts(name)
          .map(stem)
          .filter((word) => terms.has(word));
        const worth = shared.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
        if (shared.length > 1 && !known.includes(name)) met.set(name, Math.max(met.get(name) ?? 0, worth));
      }
  return [...met]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, metNames)
    .map(([name]) => name);
}

function bestLines(item: Evidence, weights: Weights, names: readonly string[]): readonly TellingLine[] {
  return tellingLines(item, weights, new Set(names))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3);
}
