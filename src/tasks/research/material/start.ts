/**
 * Records the state of the material when a run begins, so that its result and its replay do not depend on later states.
 */
import type { Coverage, Journal, Step } from '../../../core/index.ts';
import type { Material } from './material.ts';

const optionalPorts = ['grep', 'past', 'definitions', 'symbols'] as const;
export type OptionalPort = (typeof optionalPorts)[number];

export interface Start {
  readonly ports: readonly OptionalPort[];
  readonly coverage: NonNullable<Material['coverage']>;
  /** The run begins with an overview of folders and outlines. */
  readonly around?: boolean;
  /** The run begins with the uses of the names in the question. */
  readonly users?: boolean;
  /** The run begins with the definitions that match the question best. */
  readonly definitions?: boolean;
  /** A model ranks the first definitions; false if that was requested but there is no model. */
  readonly rerank?: boolean;
  /** Names of the tools that the program passed in. */
  readonly tools?: readonly string[];
}

const unknownCoverage: Pick<Coverage, 'files' | 'skipped' | 'completeness' | 'notes'> = {
  files: 0,
  skipped: 0,
  completeness: 'unknown',
  notes: [],
};

/** Records the present state of the material. If the person has stopped the run already, returns it unrecorded. */
export async function recordStart(
  step: Step,
  material: Material,
  { rerank }: Pick<Start, 'rerank'> = {},
): Promise<Start> {
  const present: Start = {
    ports: optionalPorts.filter((port) => material[port] !== undefined),
    coverage: material.coverage ?? unknownCoverage,
    ...(material.symbols !== undefined && { around: true, users: true }),
    ...(material.symbols !== undefined && material.definitionSearch !== undefined && { definitions: true }),
    ...(rerank !== undefined && { rerank }),
    ...(material.tools !== undefined && { tools: material.tools.map(({ name }) => name) }),
  };
  const stepResult = await step<Start>('start', { deferCommit: true, run: async () => ({ value: present }) });
  return stepResult.kind === 'done' ? stepResult.value : present;
}

export function readStart(journal: Pick<Journal, 'recall'>): Start | undefined {
  return journal.recall('start') as Start | undefined;
}
