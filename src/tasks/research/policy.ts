/**
 * Research without a model, by a fixed policy: it searches for the question, looks up the definitions of the names in
 * it, searches for these names alone, looks up names in the best lines, and then quotes the best lines.
 */
import { canonicalJson, type Evidence } from '../../core/index.ts';
import { actionsFor } from './actions/registry.ts';
import { rerankDefinitionsName, searchDefinitionsName } from './actions/search-definitions.ts';
import { isProse } from './lines/extract.ts';
import { asQuote, type TellingLine, tellingLines, type Weights, weightsOver } from './lines/telling-lines.ts';
import { identifiersIn, parts, stem, termsOf } from './lines/terms.ts';
import type { RunContext } from './run-context.ts';
import { type Choice, cancel, type Pressure, type ResearchState, type Turn, withEnd } from './state.ts';

/** Maximum number of names to look up from the question, and from the best lines. */
const maxQuestionNames = 3;
const maxFollowedNames = 2;
/** Maximum number of files that are searched for definitions whose names share words with the question. */
const maxPatternFiles = 2;
const maxRareWords = 6;

export async function nextByPolicy(
  state: ResearchState,
  context: RunContext,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const key = `step-${state.step}/choice`;
  const chosen = await context.step<Choice | null>(key, {
    deferCommit: true,
    run: async () => ({ value: nextChoice(state, context) }),
  });
  if (chosen.kind !== 'done') return cancel(state);
  const choice = chosen.value;
  // The last step answers, unless no action was taken yet: then one is taken first.
  const mustAnswer = pressure === 'budget' && state.turns.length > 0;
  if (choice === null || mustAnswer)
    return withEnd(state, {
      stop: choice === null ? 'finalized' : 'budget',
      answer: null,
      confidence: null,
      trouble: null,
    });
  const next = pressure === 'budget' ? ({ kind: 'choose', pressure } as const) : ({ kind: 'plan' } as const);
  return { ...state, pending: { kind: 'act', choice, next } };
}

/** The first action of the policy that the material allows and that was not taken yet; null if there is none. */
function nextChoice(state: ResearchState, context: RunContext): Choice | null {
  const { question, turns } = state;
  const available = new Set(actionsFor(context.material).map(({ name }) => name));
  const takenKeys = new Set(turns.map(({ action, input }) => `${action} ${canonicalJson(input)}`));
  for (const choice of listChoices(question, state, context.start.rerank === true))
    if (available.has(choice.action) && !takenKeys.has(`${choice.action} ${canonicalJson(choice.input)}`))
      return choice;
  return null;
}

function* listChoices(question: string, state: ResearchState, rerank: boolean): Generator<Choice> {
  yield toChoice('hybrid_search', { query: question, k: 12 }, 'the question itself');
  const isReranked = ({ action, outcome }: Turn) => action === rerankDefinitionsName && outcome === 'ok';
  if (rerank)
    yield toChoice(rerankDefinitionsName, { query: question }, 'the definitions, put in order by a model');
  if (!state.turns.some(isReranked))
    yield toChoice(searchDefinitionsName, { query: question }, 'the definitions in the best files');
  const names = identifiersIn(question).slice(0, maxQuestionNames);
  for (const { name } of names) yield toChoice('find_definition', { symbol: name }, 'named in the question');
  const sureNames = names.filter((identifier) => identifier.sure).map(({ name }) => name);
  if (sureNames.length > 0)
    yield toChoice('hybrid_search', { query: sureNames.join(' '), k: 8 }, 'the names in the question alone');
  const pattern = definitionPattern(question, state);
  for (const path of pattern === null ? [] : listTopFiles(state))
    yield toChoice(
      'grep',
      { pattern, ignore_case: true, path },
      'definitions in the best files that share words with the question',
    );
  for (const name of listNamesToFollow(question, sureNames, state))
    yield toChoice('find_definition', { symbol: name }, 'named in the best lines');
}

/** The first files of the first search. Only that search counts, so that later steps don't change the files. */
function listTopFiles({ turns, evidence }: ResearchState): readonly string[] {
  const firstSearch = turns.find(({ action, outcome }) => action === 'hybrid_search' && outcome === 'ok');
  const paths =
    firstSearch?.evidence.map((id) => evidence.find((item) => item.id === id)?.file_path ?? '') ?? [];
  return [...new Set(paths)].filter((path) => path !== '' && !isProse(path)).slice(0, maxPatternFiles);
}

/**
 * A regular expression for lines that define a name with one of the question's rarest words; null if there is no such
 * word.
 */
function definitionPattern(question: string, { turns, evidence }: ResearchState): string | null {
  const firstIds = new Set(turns.find(({ action }) => action === 'hybrid_search')?.evidence);
  const weights = weightsOver(
    termsOf(question),
    evidence.filter(({ id }) => firstIds.has(id)),
  );
  // A word that most of the results contain would match every definition in them.
  const rarest = Math.max(0, ...weights.values());
  const words = [...weights]
    .filter(([term, weight]) => term.length > 2 && weight > rarest / 2 && /^[\p{L}\p{N}]+$/u.test(term))
    .sort((a, b) => b[1] - a[1])
    .slice(0, maxRareWords)
    .map(([term]) => term);
  if (words.length === 0) return null;
  return `\\b(def|class|fn|func|function|const|type|interface|struct|enum|trait|impl|module)\\s.*(${words.join('|')})`;
}

const toChoice = (action: string, input: Readonly<Record<string, unknown>>, reasoning: string): Choice => ({
  action,
  input,
  reasoning,
});

/**
 * Names in the best lines of the first search that share at least two words with the question. Only that search counts,
 * so that looking up one name does not change the next ones.
 */
function listNamesToFollow(
  question: string,
  questionNames: readonly string[],
  state: ResearchState,
): readonly string[] {
  const firstSearch = state.turns.find(({ action }) => action === 'hybrid_search');
  if (firstSearch === undefined) return [];
  const bestEvidence = state.evidence.filter(({ id }) => firstSearch.evidence.slice(0, 4).includes(id));
  const terms = new Set(termsOf(question));
  const weights = weightsOver([...terms], bestEvidence);
  const worthByName = new Map<string, number>();
  for (const item of bestEvidence)
    for (const { text } of bestLines(item, weights, questionNames))
      for (const { name } of identifiersIn(asQuote(text, state.question)).filter(
        (identifier) => identifier.sure,
      )) {
        const shared = parts(name)
          .map(stem)
          .filter((word) => terms.has(word));
        const worth = shared.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
        if (shared.length > 1 && !questionNames.includes(name))
          worthByName.set(name, Math.max(worthByName.get(name) ?? 0, worth));
      }
  return [...worthByName]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, maxFollowedNames)
    .map(([name]) => name);
}

function bestLines(item: Evidence, weights: Weights, names: readonly string[]): readonly TellingLine[] {
  return tellingLines(item, weights, new Set(names))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3);
}
