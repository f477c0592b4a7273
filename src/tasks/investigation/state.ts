/** The state of one investigation: plain data that can be rebuilt from the records. */
import type { Evidence, InvestigationStatus, ProposedWrite, ReadSpan, StopReason } from '../../core/index.ts';
import type { Dialogue, DialogueCut } from '../../model/index.ts';
import type { CellResult, Variable } from '../../sandbox/index.ts';

/** An accepted call of FINAL, as the host records it. */
export interface Final {
  /** A text, or a value that JSON can hold. */
  readonly answer: unknown;
}

/** Totals of an investigation and everything nested in it: counts and bytes. */
export interface Tally {
  /** Investigations: this one and nested ones. */
  readonly nodes: number;
  readonly cells: number;
  /** Bytes that helpers gave to the code. */
  readonly handled: number;
  /** Bytes of output that the planner saw. */
  readonly shown: number;
  readonly prompts: number;
}

export const noTally: Tally = { nodes: 0, cells: 0, handled: 0, shown: 0, prompts: 0 };

export function plusTally(a: Tally, b: Tally): Tally {
  return {
    nodes: a.nodes + b.nodes,
    cells: a.cells + b.cells,
    handled: a.handled + b.handled,
    shown: a.shown + b.shown,
    prompts: a.prompts + b.prompts,
  };
}

/** What a cell or a nested investigation produced besides its output. */
export interface Gains {
  readonly reads: readonly ReadSpan[];
  readonly evidence: readonly Evidence[];
  readonly proposals: readonly ProposedWrite[];
  readonly final: Final | null;
  /**
   * The first FINAL answer that was returned to the planner because of its citations or its size. It is used if no
   * other follows.
   */
  readonly offered: Final | null;
  readonly tally: Tally;
}

export const noGains: Gains = {
  reads: [],
  evidence: [],
  proposals: [],
  final: null,
  offered: null,
  tally: noTally,
};

/** A finished cell, as recorded. */
export interface CellRecord {
  readonly key: string;
  readonly code: string;
  readonly outcome: 'ok' | 'error' | 'killed';
  /** For the planner: output, value and error; shortened to its beginning and end. */
  readonly output: string;
  /** Bytes that were printed. */
  readonly bytes: number;
  /** One line for a list of turns. */
  readonly line: string;
  readonly fuel: number;
  /** Maximum fuel of the cell. */
  readonly granted: number;
  readonly calls: number;
  /** The times that the code read from its clock. Null if it read none, or too many to record. */
  readonly clock: CellResult['clock'];
  /** True if the time limit stopped the cell, which may not happen if it is repeated. */
  readonly untimely: boolean;
  readonly variables: readonly Variable[];
  /** The content of the Python variable `draft`, if it is set. */
  readonly draft: string | null;
  readonly gains: Gains;
}

export interface InvestigationEnd {
  readonly status: InvestigationStatus;
  readonly stop: StopReason;
  /** Why the investigation ended without FINAL(), with a remedy if there is one. */
  readonly trouble: string | null;
  /** True if only the attempt of this process ended, and the run can be resumed. */
  readonly resumable?: true;
}

/** The dialogue with the planner. */
export interface Talk {
  /** Ends in a reply. */
  readonly dialogue: Dialogue;
  /** Where the dialogue was cut to fit the model's window. */
  readonly cut: DialogueCut;
  /** Number of entries that were cut when the session's variables were last shown. */
  readonly named: number;
}

export type Pending =
  /** Puts the context into the namespace. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'plan' }
  /** Run these cells, one after another. */
  | { readonly kind: 'run'; readonly codes: readonly string[] }
  | { readonly kind: 'end'; readonly end: InvestigationEnd };

export interface NodeState {
  /** The turn under way, from 1; 0 before the first. */
  readonly turn: number;
  /** The finished cells, oldest first. */
  readonly cells: readonly CellRecord[];
  /** Null before the first reply. */
  readonly talk: Talk | null;
  /** Number of cells whose results the planner has seen. */
  readonly said: number;
  /** Number of times that the reply limit was quadrupled, after a cut reply without complete code. */
  readonly wider: number;
  /** Number of times that the output limit was halved: twice after each prompt that was too long. */
  readonly narrower: number;
  readonly gains: Gains;
  /** Number of consecutive turns without code. */
  readonly silent: number;
  /** True in the last turn, which may spend the reserve. */
  readonly last: boolean;
  /** Present if an answer was returned to the planner because of unsupported claims, which happens at most once. */
  readonly handedBack?: true;
  /** A message to the planner, shown in its next turn. */
  readonly told: string | null;
  /** Names in the question that occur nowhere. The investigation then ends before its first turn. */
  readonly missing?: readonly string[];
  readonly pending: Pending;
}

export function initialState(): NodeState {
  return {
    turn: 0,
    cells: [],
    talk: null,
    said: 0,
    wider: 0,
    narrower: 0,
    gains: { ...noGains, tally: { ...noTally, nodes: 1 } },
    silent: 0,
    last: false,
    told: null,
    pending: { kind: 'begin' },
  };
}

export function withEnd(state: NodeState, end: InvestigationEnd): NodeState {
  return { ...state, pending: { kind: 'end', end } };
}

export const cancelledEnd: InvestigationEnd = {
  status: 'cancelled',
  stop: 'cancelled',
  trouble: 'The run was cancelled; it can be resumed.',
};

/** Joins gains. Each read span and each piece of evidence is kept once, in order of arrival. */
export function plusGains(a: Gains, b: Gains): Gains {
  const known = new Set(a.evidence.map(({ id }) => id));
  const spans = new Set(a.reads.map(spanKey));
  const newReads = b.reads.filter((span) => !spans.has(spanKey(span)));
  return {
    reads: newReads.length === 0 ? a.reads : [...a.reads, ...uniqueSpans(newReads)],
    evidence: [...a.evidence, ...b.evidence.filter(({ id }) => !known.has(id) && known.add(id))],
    proposals: [...a.proposals, ...b.proposals],
    final: a.final ?? b.final,
    offered: a.offered ?? b.offered ?? null,
    tally: plusTally(a.tally, b.tally),
  };
}

const spanKey = ({ path, commit, start, end, content }: ReadSpan): string =>
  [path, commit, start, end, content?.id, content?.revision].join('\0');

function uniqueSpans(spans: readonly ReadSpan[]): readonly ReadSpan[] {
  return [...new Map(spans.map((span) => [spanKey(span), span])).values()];
}

/** The paths that were read, each once. */
export function listPaths(reads: readonly ReadSpan[]): readonly string[] {
  return [...new Set(reads.map(({ path }) => path))];
}
