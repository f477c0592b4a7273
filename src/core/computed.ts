/**
 * Where the values of an answer come from, which a cell of an investigation gave to FINAL: the cell, whether it came to
 * the same when it was run again, and the lines that flowed into each value. Plain data, for results and logs.
 */

export interface ComputedSpan {
  readonly path: string;
  /** 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
}

export interface ComputedValue {
  /** Keys and indexes that lead from the answer to it; none for the answer itself. */
  readonly at: readonly (string | number)[];
  /** Of a text that was put together: the stretch that this is about, as FINAL was given it. */
  readonly stretch?: string;
  /** Of a list or an object: how many. */
  readonly items?: number;
  /**
   * material: lines that were read, a listing or what was passed along flowed into it. model: words of a model, or of a
   * nested investigation, did. literal: nothing did; it stands in the code. lost: it can't be told what did.
   */
  readonly flow: 'material' | 'model' | 'literal' | 'lost';
  /** The first of them, in the order of path and line. */
  readonly spans: readonly ComputedSpan[];
  /** How many spans there are. */
  readonly count: number;
  /** What flowed into it and is no text: `listing`, `search`, `context`, `memory`, `budget`, `host`. */
  readonly sources: readonly string[];
}

export interface ComputedAnswer {
  /** Key of the cell that called FINAL: `root/t2.1`. */
  readonly cell: string;
  /** Its cells were run again, in a fresh session, with what its helpers had answered: `other` where they came to another answer, `unable` where they could not be run. */
  readonly again: 'same' | 'other' | 'unable';
  /** Why the flow is lost as a whole; absent where it is not. */
  readonly lost?: string;
  /** Each value of the answer, a list before its items. Of many the first. */
  readonly values: readonly ComputedValue[];
  /** Of the cells: paths that they read. Of many the first. */
  readonly reads: readonly string[];
}
