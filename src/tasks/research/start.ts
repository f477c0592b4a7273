/** What a run found when it began, recorded so that its result and its replay do not depend on today's. */
import type { Coverage, Journal } from '../../core/index.ts';
import type { Crew } from './crew.ts';
import type { Material } from './material.ts';

const optionalPorts = ['grep', 'past', 'definitions'] as const;
export type OptionalPort = (typeof optionalPorts)[number];

interface Start {
  readonly ports: readonly OptionalPort[];
  readonly coverage: NonNullable<Material['coverage']>;
}

const nothingKnown: Pick<Coverage, 'files' | 'skipped' | 'completeness' | 'notes'> = {
  files: 0,
  skipped: 0,
  completeness: 'unknown',
  notes: [],
};

export function recordStart({ journal, material }: Crew): void {
  const start: Start = {
    ports: optionalPorts.filter((port) => material[port] !== undefined),
    coverage: material.coverage ?? nothingKnown,
  };
  if (startOf(journal) === undefined) journal.record('start', start);
}

export function startOf(journal: Pick<Journal, 'recall'>): Start | undefined {
  return journal.recall('start') as Start | undefined;
}
