/**
 * The state of the material when a run began, recorded so that its result and its replay do not depend on the present
 * state.
 */
import type { Coverage, Journal, Step } from '../../../core/index.ts';
import type { Material } from './material.ts';

const optionalPorts = ['grep', 'past', 'definitions', 'symbols'] as const;
export type OptionalPort = (typeof optionalPorts)[number];

export interface Start {
  readonly ports: readonly OptionalPort[];
  readonly coverage: NonNullable<Material['coverage']>;
  /** The run also begins with a look at folders and outlines. */
  readonly around?: boolean;
  /** The run also begins with the users of the names in the question. */
  readonly users?: boolean;
  /** The run also begins with the definitions that say most about the question. */
  readonly definitions?: boolean;
  /** A model ranks the first definitions; false if that was requested but there is no model. */
  readonly rerank?: boolean;
  /** Names of the tools that the program passed in. */
  readonly tools?: readonly string[];
}

const nothingKnown: Pick<Coverage, 'files' | 'skipped' | 'completeness' | 'notes'> = {
  files: 0,
  skipped: 0,
  completeness: 'unknown',
  notes: [],
};

/**
 * Records the state of the material. If the person stopped the run before it began, returns the present state
 * unrecorded.
 */
export async function recordStart(
  step: Step,
  material: Material,
  { rerank }: Pick<Start, 'rerank'> = {},
): Promise<Start> {
  const now: Start = {
    ports: optionalPorts.filter((port) => material[port] !== undefined),
    coverage: material.coverage ?? nothingKnown,
    ...(material.symbols !== undefined && { around: true, users: true }),
    ...(material.symbols !== undefined && material.best !== undefined && { definitions: true }),
    ...(rerank !== undefined && { rerank }),
    ...(material.tools !== undefined && { tools: material.tools.map(({ name }) => name) }),
  };
  const stepResult = await step<Start>('start', { cheap: true, run: async () => ({ value: now }) });
  return stepResult.kind === 'done' ? stepResult.value : now;
}

export function startOf(journal: Pick<Journal, 'recall'>): Start | undefined {
  return journal.recall('start') as Start | undefined;
}
