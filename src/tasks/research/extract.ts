/** An answer without a model: the files that the research points at, with the lines in them that say most. */
import type { Evidence } from '../../core/index.ts';
import type { ResearchState } from './state.ts';
import { asQuote, type TellingLine, tellingLines, weightsOver } from './telling-lines.ts';
import { identifiersIn, termsOf } from './terms.ts';

/** What the answer quotes: a piece of evidence, with lines of it. */
export interface Extract {
  readonly evidence: Evidence;
  readonly lines: readonly TellingLine[];
}

/** Ranks of a search beyond the first few hardly differ. */
const damping = 8;

/** How strongly the steps point at each file: ranks of searches, and definitions, rare ones more. */
function fileScores({ turns, evidence }: ResearchState): ReadonlyMap<string, number> {
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const scores = new Map<string, number>();
  for (const turn of turns) {
    const paths = [...new Set(turn.evidence.map((id) => byId.get(id)?.file_path ?? ''))].filter(
      (path) => path !== '',
    );
    // A name defined in many places says little about any of them.
    const worth = turn.action === 'find_definition' ? 1 / Math.max(1, paths.length - 1) : 1;
    for (const [rank, path] of paths.entries())
      scores.set(path, (scores.get(path) ?? 0) + worth / (damping + rank));
  }
  return scores;
}

/** The best files, one extract of each, strongest first. */
export function extracts(state: ResearchState, most: number): readonly Extract[] {
  const names = new Set(identifiersIn(state.question));
  const weights = weightsOver([...termsOf(state.question)], state.evidence);
  const scores = fileScores(state);
  const best = [...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
  return best.flatMap(([path], rank) => {
    const quoted = state.evidence
      .filter(({ file_path }) => file_path === path)
      .map((evidence) => ({ evidence, lines: tellingLines(evidence, weights, names, rank < 3 ? 2 : 1) }))
      .map((extract) => ({ ...extract, worth: Math.max(0, ...extract.lines.map(({ score }) => score)) }))
      .sort((a, b) => b.worth - a.worth || a.evidence.start_line - b.evidence.start_line);
    const [first] = quoted;
    return first === undefined || first.lines.length === 0 ? [] : [first];
  });
}

/** One line of the answer for each line quoted. */
export function extractLines(extract: Extract): readonly string[] {
  const { evidence, lines } = extract;
  return lines.map(
    ({ line, text }) =>
      `- ${evidence.file_path}:${line} \`${asQuote(text).replaceAll('`', "'")}\` [${evidence.id}]`,
  );
}
