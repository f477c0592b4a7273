/** Claims whose truth is known, each with the lines that are cited for it, and the verdicts of a checker. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a checker makes of a claim; `shown`, `computed`, `absent` and `supported` carry it. */
export type Verdict =
  | 'shown'
  | 'computed'
  | 'absent'
  | 'supported'
  | 'unclear'
  | 'contradicted'
  | 'not shown';

export interface Lines {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What a checker is given: nothing of the truth, of the mutation or of the source. */
export interface Asked {
  readonly claim: string;
  readonly lines: readonly Lines[];
  /** The cited file of the first lines, or a part of it, and the number of its first line. */
  readonly file?: string;
  readonly fileStart?: number;
}

/** A module given by `--checker NAME=FILE` exports one of these as `check`. */
export type Check = (asked: Asked) => Verdict | Promise<Verdict>;

/**
 * A line of a set. `source` is what halves are split by; `kind` is code, notes, logs or incidents; `wording` is how the
 * sentence came about: published, answer (as a model words it), hand-played, quote or report (of the engine itself).
 */
export interface Row extends Asked {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly wording?: string;
  readonly truth: boolean;
  readonly mutation?: string;
  readonly original?: string;
}

/** Mutations of what can be compared as it stands, and of what has to be understood. */
export const exactMutations = ['figure', 'unit', 'identifier', 'path', 'quotation', 'time'];

export const isCarried = (verdict: Verdict): boolean =>
  verdict === 'shown' || verdict === 'computed' || verdict === 'absent' || verdict === 'supported';
export const isCaught = (verdict: Verdict): boolean => verdict === 'contradicted' || verdict === 'not shown';

export function readSet(folder: string): readonly Row[] {
  if (!existsSync(folder)) return [];
  return globSync(join(folder, '*.jsonl'))
    .sort()
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** A shuffle that is the same on every machine: by a hash of the id. */
export function shuffled<T extends { readonly id: string }>(rows: readonly T[], seed: number): readonly T[] {
  const hash = (text: string): number => {
    let value = 2166136261 ^ seed;
    for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
    return value >>> 0;
  };
  return [...rows].sort((a, b) => hash(a.id) - hash(b.id) || a.id.localeCompare(b.id));
}
