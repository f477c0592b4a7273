/** What a file may be and still be indexed. */
export interface WalkLimits {
  /** Larger files count as huge. In bytes. */
  readonly largestFile: number;
}

export const defaultLimits: WalkLimits = Object.freeze({ largestFile: 1_000_000 });
