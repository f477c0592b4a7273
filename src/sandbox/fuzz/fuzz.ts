import { Chance } from './chance.ts';
import { targets } from './targets.ts';

export interface FuzzFailure {
  readonly target: string;
  /** `fuzz` with this seed and one round repeats the failure. */
  readonly seed: number;
  readonly error: unknown;
}

/** Runs one target for a number of rounds, each with its own seed; stops at the first failure. */
export async function fuzz(target: string, firstSeed: number, rounds: number): Promise<FuzzFailure | null> {
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    try {
      await targets[target]!(new Chance(seed));
    } catch (error) {
      return { target, seed, error };
    }
  }
  return null;
}
