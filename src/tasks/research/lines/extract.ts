/** Chooses what an answer without a model quotes: the best lines of the files that the searches rank first. */
import { type Evidence, escapePath, isChangeLog } from '../../../core/index.ts';
import type { ResearchState } from '../state.ts';
import { asQuote, firstLine, type TellingLine, tellingLines, weightsOver } from './telling-lines.ts';
import { identifiersIn, termsOf } from './terms.ts';

/** A line to quote, with the evidence that contains it. */
export interface QuotedLine {
  readonly evidence: Evidence;
  readonly line: TellingLine;
}

/** Added to each rank, so that the first ranks don't outweigh all others. */
const rankOffset = 8;

/** Weight of a file by its kind, from 0 to 1: how well such files answer questions about a code base. */
function fileKindWeight(path: string): number {
  if (isChangeLog(path)) return 0.4;
  return isProse(path) ? 0.7 : 1;
}

export function isProse(path: string): boolean {
  return /\.(?:md|mdx|rst|txt|adoc)$/i.test(path);
}

/** Scores files by their rank in each result. A definition counts more if few files define its name. */
function fileScores({ turns, evidence }: ResearchState): ReadonlyMap<string, number> {
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const scores = new Map<string, number>();
  for (const turn of turns) {
    const paths = [...new Set(turn.evidence.map((id) => byId.get(id)?.file_path ?? ''))].filter(
      (path) => path !== '',
    );
    const weight = actionWeight(turn.action, paths.length);
    for (const [rank, path] of paths.entries())
      scores.set(path, (scores.get(path) ?? 0) + (weight * fileKindWeight(path)) / (rankOffset + rank));
  }
  return scores;
}

/**
 * Weight of an action's result for its files. A name that many files define says little about each of them. A `grep`
 * searches files that are already ranked, and so adds nothing.
 */
function actionWeight(action: string, files: number): number {
  if (action === 'grep') return 0;
  return action === 'find_definition' ? 1 / Math.max(1, files - 1) : 1;
}

/** Maximum number of lines from the two best files, from the next two, and from each of the rest. */
const maxLinesByRank = (rank: number) => (rank < 2 ? 3 : rank < 4 ? 2 : 1);

/** The best lines of the best files: best file first, the lines of each in file order. */
export function extracts(state: ResearchState, max: number): readonly (readonly QuotedLine[])[] {
  const names = new Set(identifiersIn(state.question).flatMap(({ name, sure }) => (sure ? [name] : [])));
  const weights = weightsOver([...termsOf(state.question)], state.evidence);
  const best = [...fileScores(state)].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, max);
  return best.map(([path], rank) => {
    const fileEvidence = state.evidence.filter(({ file_path }) => file_path === path);
    const found = new Map<number, QuotedLine>();
    for (const evidence of fileEvidence)
      for (const line of tellingLines(evidence, weights, names)) {
        const earlier = found.get(line.line);
        if (earlier === undefined || earlier.line.score < line.score)
          found.set(line.line, { evidence, line });
      }
    const ranked = [...found.values()].sort(
      (a, b) => b.line.score - a.line.score || a.line.line - b.line.line,
    );
    const chosen = ranked.slice(0, maxLinesByRank(rank)).sort((a, b) => a.line.line - b.line.line);
    if (chosen.length > 0) return chosen;
    return fileEvidence.slice(0, 1).flatMap((evidence) => {
      const line = firstLine(evidence);
      return line === null ? [] : [{ evidence, line }];
    });
  });
}

/** A list item that quotes one line, with its place and citation. */
export function extractLine({ evidence, line }: QuotedLine, question: string): string {
  const place = `${escapePath(evidence.file_path)}:${line.line}`;
  const text = asQuote(line.text, question);
  // Text that looks like a citation goes into a fenced block, where it is not read as one.
  return /ev-[0-9a-zA-Z]/.test(text)
    ? `- ${place} [${evidence.id}]:\n  ~~~~\n  ${text}\n  ~~~~`
    : `- ${place} ${toInlineCode(text)} [${evidence.id}]`;
}

/** Formats a text, which may contain backticks, as inline code. */
function toInlineCode(text: string): string {
  if (!text.includes('`')) return `\`${text}\``;
  const longest = Math.max(...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${text} ${fence}`;
}
