/** Limits on the files that are indexed. */
export interface WalkLimits {
  /** Larger files are left out: to be cited, a file is read as a whole. */
  readonly maxFileBytes: number;
}

export const defaultLimits: WalkLimits = Object.freeze({ maxFileBytes: 256 << 20 });
