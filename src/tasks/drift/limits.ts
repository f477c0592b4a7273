/** The limits of a drift run. */
export interface DriftLimits {
  /** Milliseconds of working time. */
  readonly wall_ms: number;
  /** Milliseconds for one question to a system. */
  readonly tool_ms: number;
}

export const driftLimits: DriftLimits = Object.freeze({ wall_ms: 120_000, tool_ms: 30_000 });

/** Maximum number of queries given in place of the overviews. */
export const maxQueries = 12;
