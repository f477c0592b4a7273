import type { FileSpan } from './text/span.ts';
/**
 * The origin of the values that a cell of an investigation passed to FINAL: the cell, whether a second run gave the
 * same values, and the lines that flowed into each. Plain data, for results and logs.
 */

export interface ComputedValue {
  /** The path in the answer: keys and indexes that lead to the value. Empty for the answer itself. */
  readonly at: readonly (string | number)[];
  /** If the text was composed of several values: the part of the text that this value became, as FINAL() received it. */
  readonly stretch?: string;
  /**
   * True for a text that is a single value: copied from a line, or one computed word. Absent: its sentences are claims
   * like any other.
   */
  readonly whole?: true;
  /** Number of items in a list or an object. */
  readonly items?: number;
  /**
   * material: lines, a listing or a passed context flowed into the value. model: words of a model or of a nested
   * investigation did. literal: the value is written in the code. lost: the origin is unknown.
   */
  readonly flow: 'material' | 'model' | 'literal' | 'lost';
  /** The first spans that flowed into the value, in the order of path and line. */
  readonly spans: readonly FileSpan[];
  /** The number of all spans. */
  readonly count: number;
  /** Other sources than text: `listing`, `search`, `context`, `memory`, `budget`, `host`. */
  readonly sources: readonly string[];
}

export interface ComputedAnswer {
  /** Key of the cell that called FINAL: `root/t2.1`. */
  readonly cell: string;
  /**
   * How a second run of the cells compares with the first, in a fresh session with the recorded answers of their
   * helpers. `unable`: they could not run.
   */
  readonly again: 'same' | 'other' | 'unable';
  /** Why the flow as a whole is lost; absent if it is known. */
  readonly lost?: string;
  /** The values of the answer, a list before its items. If there are many, only the first. */
  readonly values: readonly ComputedValue[];
  /** Words of the answer that also occur in the code, the lines or the question. Absent if this was not checked. */
  readonly words?: readonly string[];
  /** Paths that the cells read. If there are many, only the first. */
  readonly reads: readonly string[];
}
