/** The shapes that a set can ask, and how a question of each is asked and judged. */
import { kinds } from '../kinds/kinds.ts';
import type { EvalAdapter, RunKind } from '../runs/run-kind.ts';

export function evaluations(): ReadonlyMap<string, EvalAdapter<object>> {
  const all: Readonly<Record<string, RunKind>> = kinds;
  return new Map(
    Object.entries(all).flatMap(([shape, { evaluated }]) =>
      evaluated === undefined ? [] : [[shape, evaluated] as const],
    ),
  );
}
