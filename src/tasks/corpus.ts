/** Material that delegated work can search: the pages of a workspace, or a folder. */
import type { Capability, InvestigationRecord } from '../core/index.ts';
import type { TaskContext } from './shape.ts';

/** An implementation must not read anything before `open`, nor with other clients than those passed to `open`. */
export interface Corpus<Material> {
  /** The name for a planner, in one word: `pages`, `code`. */
  readonly name: string;
  /** The description for a planner, in one line. */
  readonly description: string;
  /** Shown in lists of runs: a folder, or the file or name of a workspace. */
  readonly root: string;
  /** The capabilities that a caller needs to read it. */
  readonly needs: readonly Capability[];
  open(context: Pick<TaskContext, 'clients' | 'signal'>): Promise<OpenCorpus<Material>>;
}

/** An open corpus; closed at the end of the call that opened it. */
export interface OpenCorpus<Material> {
  readonly material: Material;
  /**
   * Submits the changes that an investigation proposed. Repeating the call changes nothing. Absent: nothing can be
   * written.
   */
  propose?(record: InvestigationRecord): Promise<readonly ProposalOutcome[]>;
  close(): unknown;
}

/** The outcome of a proposal. */
export interface ProposalOutcome {
  /** The id of the proposal. */
  readonly id: string;
  readonly outcome: 'applied' | 'held' | 'refused';
  /** The id of the write and of the content it made or changed, or why it was refused; one line. */
  readonly detail: string;
}

export type Corpora<Material> = readonly [Corpus<Material>, ...Corpus<Material>[]];

/** The names of the corpora: the values of a parameter that says where to look. */
export function corpusNames<Material>(corpora: Corpora<Material>): readonly [string, ...string[]] {
  const [first, ...others] = corpora;
  return [first.name, ...others.map(({ name }) => name)];
}

export const describeCorpora = <Material>(corpora: Corpora<Material>): string =>
  corpora.map(({ name, description }) => `${name}: ${description}`).join('; ');

export function findCorpus<Material>(corpora: Corpora<Material>, name: string): Corpus<Material> {
  return corpora.find((corpus) => corpus.name === name) ?? corpora[0];
}

/** Opens a corpus for one piece of work, and closes it when the work has ended or failed. */
export async function withCorpus<Material, Value>(
  corpus: Corpus<Material>,
  context: Pick<TaskContext, 'clients' | 'signal'>,
  work: (openedCorpus: OpenCorpus<Material>) => Promise<Value>,
): Promise<Value> {
  const openedCorpus = await corpus.open(context);
  try {
    return await work(openedCorpus);
  } finally {
    await openedCorpus.close();
  }
}
