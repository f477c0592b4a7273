/** The kinds of runs that a question set can ask, each with its adapter. */
import { kinds } from '../kinds/kinds.ts';
import type { EvalAdapter, RunKind } from '../runs/run-kind.ts';

export function listEvalAdapters(): ReadonlyMap<string, EvalAdapter<object>> {
  const all: Readonly<Record<string, RunKind>> = kinds;
  return new Map(
    Object.entries(all).flatMap(([shape, { evaluated }]) =>
      evaluated === undefined ? [] : [[shape, evaluated] as const],
    ),
  );
}
