/** The questions for each system: the given queries, or else its overview question. */
import type { Signal, SignalQuestion } from '../../core/index.ts';
import type { GatherTool } from '../incident/gather/tools.ts';

export interface DriftQuestion {
  readonly tool: GatherTool;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Maximum number of questions of one run. */
export const maxQuestions = 24;

export interface Questions {
  readonly questions: readonly DriftQuestion[];
  /** Notes for people: systems that were not asked, and questions beyond the maximum. */
  readonly leftOut: readonly string[];
}

export function planQuestions(signals: readonly Signal[], queries: readonly string[]): Questions {
  const all: DriftQuestion[] = [];
  const leftOut: string[] = [];
  const names = new Set<string>();
  const add = (signal: Signal, question: SignalQuestion, args: DriftQuestion['arguments']): void => {
    const { description, parameters, cost } = question;
    let name = question.name;
    // Several queries of one question are numbered; systems of the same kind have different names.
    for (let n = 2; names.has(`${name} ${JSON.stringify(args)}`); n += 1) name = `${question.name}_${n}`;
    names.add(`${name} ${JSON.stringify(args)}`);
    all.push({ tool: { name, description, parameters, cost, question, signal }, arguments: args });
  };
  for (const signal of signals) {
    const before = all.length;
    if (queries.length > 0) {
      const byQuery = signal.questions.find((signalQuestion) => takesQuery(signalQuestion, queries[0]!));
      if (byQuery !== undefined) for (const query of queries) add(signal, byQuery, { query });
    } else {
      if (signal.overview !== undefined) add(signal, signal.overview, {});
      for (const question of signal.questions.filter(canShowDrift)) add(signal, question, {});
    }
    if (all.length === before)
      leftOut.push(
        queries.length > 0
          ? `${signal.source} takes no such query`
          : `${signal.source} is asked only where a query is given`,
      );
  }
  if (all.length > maxQuestions)
    leftOut.push(
      `${all.length - maxQuestions} questions were too many: ${maxQuestions} are asked in one run`,
    );
  return { questions: all.slice(0, maxQuestions), leftOut };
}

const takesQuery = ({ name, topic, parameters }: SignalQuestion, query: string): boolean =>
  topic === 'metrics' && !/instant/.test(name) && parameters.safeParse({ query }).success;

/** Changes, alerts and log patterns that need no arguments. */
function canShowDrift({ name, topic, parameters }: SignalQuestion): boolean {
  const fits = topic === 'changes' || topic === 'alerts' || (topic === 'logs' && /pattern/.test(name));
  return fits && parameters.safeParse({}).success;
}
