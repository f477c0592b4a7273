import type { ClockReadings } from './protocol.ts';

/** Pairs of one clock that are kept. A guest that waits by looking at the clock makes a thousand a second. */
const maxPairs = 5_000;

/** For a guest that never asked for the time. */
export const noReadings: ClockReadings = { real: [], monotonic: [] };

/** The readings of one clock, as pairs of milliseconds and how many times in a row that value was returned. */
class Track {
  readonly pairs: number[] = [];
  full = false;

  note(ms: number): void {
    const { pairs } = this;
    const last = pairs.length - 2;
    if (last >= 0 && pairs[last] === ms) pairs[last + 1] = pairs[last + 1]! + 1;
    else if (pairs.length < 2 * maxPairs) pairs.push(ms, 1);
    else this.full = true;
  }
}

/** The time readings of a cell: written down, or repeated from an earlier run as long as there are any. */
export class ClockTape {
  readonly #given: ClockReadings | null;
  readonly #tracks = { real: new Track(), monotonic: new Track() };
  readonly #at = { real: { pair: 0, told: 0 }, monotonic: { pair: 0, told: 0 } };

  constructor(given?: ClockReadings) {
    this.#given = given ?? null;
  }

  now(clock: 'real' | 'monotonic'): number {
    const ms = this.#next(clock) ?? Math.floor(clock === 'real' ? Date.now() : performance.now());
    this.#tracks[clock].note(ms);
    return ms;
  }

  #next(clock: 'real' | 'monotonic'): number | null {
    const pairs = this.#given?.[clock];
    const at = this.#at[clock];
    if (pairs === undefined || at.pair >= pairs.length) return null;
    const ms = pairs[at.pair]!;
    at.told += 1;
    if (at.told >= pairs[at.pair + 1]!) {
      at.pair += 2;
      at.told = 0;
    }
    return ms;
  }

  readings(): ClockReadings | null {
    const { real, monotonic } = this.#tracks;
    return real.full || monotonic.full ? null : { real: real.pairs, monotonic: monotonic.pairs };
  }
}
