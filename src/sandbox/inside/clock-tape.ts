import type { ClockReadings } from './protocol.ts';

/** Maximum pairs recorded of one clock. A guest that waits by polling the clock makes a thousand per second. */
const maxPairs = 5_000;

/** The readings of a guest that never read a clock. */
export const noReadings: ClockReadings = { real: [], monotonic: [] };

/** The readings of one clock, as pairs of milliseconds and how many times in a row that value was returned. */
class Track {
  readonly pairs: number[] = [];
  full = false;

  record(ms: number): void {
    const { pairs } = this;
    const last = pairs.length - 2;
    if (last >= 0 && pairs[last] === ms) pairs[last + 1] = pairs[last + 1]! + 1;
    else if (pairs.length < 2 * maxPairs) pairs.push(ms, 1);
    else this.full = true;
  }
}

/**
 * Records the clock readings of a cell. The readings of an earlier run are replayed first, as long as there are any.
 */
export class ClockTape {
  readonly #replayed: ClockReadings | null;
  readonly #tracks = { real: new Track(), monotonic: new Track() };
  readonly #positions = { real: { pair: 0, count: 0 }, monotonic: { pair: 0, count: 0 } };

  constructor(replayed?: ClockReadings) {
    this.#replayed = replayed ?? null;
  }

  now(clock: 'real' | 'monotonic'): number {
    const ms = this.#next(clock) ?? Math.floor(clock === 'real' ? Date.now() : performance.now());
    this.#tracks[clock].record(ms);
    return ms;
  }

  #next(clock: 'real' | 'monotonic'): number | null {
    const pairs = this.#replayed?.[clock];
    const position = this.#positions[clock];
    if (pairs === undefined || position.pair >= pairs.length) return null;
    const ms = pairs[position.pair]!;
    position.count += 1;
    if (position.count >= pairs[position.pair + 1]!) {
      position.pair += 2;
      position.count = 0;
    }
    return ms;
  }

  readings(): ClockReadings | null {
    const { real, monotonic } = this.#tracks;
    return real.full || monotonic.full ? null : { real: real.pairs, monotonic: monotonic.pairs };
  }
}
