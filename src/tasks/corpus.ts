/** What a piece of work can look through: the pages of a workspace, a folder. */
import type { Capability, InvestigationRecord } from '../core/index.ts';
import type { TaskContext } from './shape.ts';

/**
 * An implementer must not: look at anything before it is opened, or with more than the clients of the call that it is
 * opened for.
 */
export interface Corpus<Material> {
  /** The name for a planner, in one word: `pages`, `code`. */
  readonly name: string;
  /** The description for a planner, in one line. */
  readonly description: string;
  /** For lists of runs: a folder, or the file or the name of a workspace. */
  readonly root: string;
  /** Without which a caller can see nothing there. */
  readonly needs: readonly Capability[];
  open(context: Pick<TaskContext, 'clients' | 'signal'>): Promise<OpenCorpus<Material>>;
}

/** A lifetime: that of one call. */
export interface OpenCorpus<Material> {
  readonly material: Material;
  /** Hands over what an investigation proposed. Called again, it does nothing again. Absent: nothing can be written. */
  propose?(record: InvestigationRecord): Promise<readonly HandedOver[]>;
  close(): unknown;
}

/** What became of a proposal. */
export interface HandedOver {
  /** The id of the proposal. */
  readonly id: string;
  readonly outcome: 'applied' | 'held' | 'refused';
  /** The content that was made or changed with the write's id, or why it was refused; one line. */
  readonly detail: string;
}

export type Corpora<Material> = readonly [Corpus<Material>, ...Corpus<Material>[]];

/** For a parameter: where to look. */
export function namesOf<Material>(corpora: Corpora<Material>): readonly [string, ...string[]] {
  const [first, ...more] = corpora;
  return [first.name, ...more.map(({ name }) => name)];
}

export const describeCorpora = <Material>(corpora: Corpora<Material>): string =>
  corpora.map(({ name, description }) => `${name}: ${description}`).join('; ');

export function findCorpus<Material>(corpora: Corpora<Material>, name: string): Corpus<Material> {
  return corpora.find((each) => each.name === name) ?? corpora[0];
}

/** Opens a corpus for one piece of work, and closes it whatever becomes of that. */
export async function within<Material, Value>(
  corpus: Corpus<Material>,
  context: Pick<TaskContext, 'clients' | 'signal'>,
  work: (open: OpenCorpus<Material>) => Promise<Value>,
): Promise<Value> {
  const open = await corpus.open(context);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
