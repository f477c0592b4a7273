/** Limits on the files that are indexed. */
export interface WalkLimits {
  /** Larger files are left out. They are cut into chunks, but read as a whole when they are cited. In bytes. */
  readonly maxFileBytes: number;
}

export const defaultLimits: WalkLimits = Object.freeze({ maxFileBytes: 256 << 20 });
