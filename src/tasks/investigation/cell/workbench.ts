/** The sandbox session of one investigation: opened on first use, restored after a crash, closed at the end. */
import { isSondeError } from '../../../core/index.ts';
import { type CellResult, type Session, Special } from '../../../sandbox/index.ts';
import { type OpenCell, operationsOf } from '../helpers/operations.ts';
import { cellCalls, cellMs, outputBytes } from '../limits.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type CellRecord, type Gains, type NodeState, noGains } from '../state.ts';
import { type Seats, seatsOf } from './seats.ts';

export interface CellRun {
  readonly result: CellResult;
  readonly gains: Gains;
  /** Killed because it kept calling helpers after the budget ran out. */
  readonly killedPastBudget: boolean;
  /** Ended because it kept calling helpers after its time was over. */
  readonly overdue: boolean;
  /** Ended by an error, which keeps its variables, because it kept calling helpers after the budget ran out. */
  readonly endedPastBudget: boolean;
}

export interface Order {
  readonly key: string;
  readonly label: string;
  readonly step: number;
  readonly code: string;
  /** Maximum fuel of the cell. */
  readonly granted: number;
  /** Whether the investigation is in its last turn. */
  readonly last: boolean;
  /** Whether it may use the time reserved for the last turn. */
  readonly final: boolean;
  /** The clock readings of its first run, which a repeated run gets again. */
  readonly clock: CellRecord['clock'];
  readonly before: Gains;
}

/** Must be closed by its creator; one per investigation. */
export class Workbench {
  readonly #context: RunContext;
  readonly #place: TreeNode;
  readonly #nested: (place: TreeNode) => Promise<NodeState>;
  readonly #seats: Seats;
  #session: Session | null = null;
  /** Number of cells that the session has run. */
  #ran = 0;
  #cell: OpenCell | null = null;

  constructor(context: RunContext, place: TreeNode, nested: (place: TreeNode) => Promise<NodeState>) {
    this.#context = context;
    this.#place = place;
    this.#nested = nested;
    this.#seats = seatsOf(context.sandbox);
  }

  /**
   * Runs a cell in a session that has run all `past` cells; restores or repeats them if necessary. Throws
   * `sandbox_ended` if the worker dies.
   */
  async run(order: Order, past: readonly CellRecord[], signal: AbortSignal): Promise<CellRun> {
    this.#seats.busy(this);
    const session = await this.#standing(past);
    const cell = openCell(order, false);
    const result = await this.#execute(session, order, cell, signal);
    const { overdue, endedPastBudget } = cell;
    return {
      result,
      gains: cell.gains,
      killedPastBudget: cell.stop.signal.aborted && !overdue,
      overdue,
      endedPastBudget,
    };
  }

  /** Reads the session's variables, and the text in `draft`. */
  async look(): Promise<Pick<CellRecord, 'variables' | 'draft'>> {
    const session = this.#session;
    if (session === null) return { variables: [], draft: null };
    const variables = await session.variables();
    const draft = variables.some(({ name }) => name === 'draft') ? await session.read('draft') : null;
    return { variables, draft: textOf(draft?.value) };
  }

  /** Returns the state of the session as bytes, which the caller stores; null without a session. */
  async checkpoint(): Promise<{ readonly cells: number; readonly bytes: Uint8Array } | null> {
    if (this.#session === null) return null;
    return { cells: this.#ran, bytes: await this.#session.checkpoint() };
  }

  /** Call it when the last checkpoint is stored. Until the next cell, the session may be closed to make room. */
  rest(): void {
    if (this.#session !== null) this.#seats.idle(this);
  }

  park(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.#seats.busy(this);
    const session = this.#session;
    this.#session = null;
    if (session === null) return;
    this.#seats.leave();
    await session.close();
  }

  async #standing(past: readonly CellRecord[]): Promise<Session> {
    if (this.#session !== null && this.#ran === past.length) return this.#session;
    await this.close();
    await this.#seats.take(this.#place.depth > 0);
    try {
      return await this.#openSession(past);
    } catch (thrown) {
      if (this.#session === null) this.#seats.leave();
      throw thrown;
    }
  }

  async #openSession(past: readonly CellRecord[]): Promise<Session> {
    const { crew, place } = { crew: this.#context, place: this.#place };
    const snapshot = past.length === 0 ? null : await crew.snapshots.load(place.key);
    const continued =
      snapshot === null || snapshot.cells > past.length ? null : await this.#continueSession(snapshot.bytes);
    this.#session = continued ?? (await crew.sandbox.open(this.#options()));
    this.#ran = continued === null ? 0 : (snapshot?.cells ?? 0);
    this.#tell(this.#session);
    for (const cell of past.slice(this.#ran)) await this.#again(this.#session, cell);
    return this.#session;
  }

  /** Logs the session's image, once per image that the investigation uses. */
  #tell({ image }: Session): void {
    const { crew, place } = { crew: this.#context, place: this.#place };
    crew.onSession?.(image);
    crew.tell(`${place.key}/session/${image.snapshot}`, {
      kind: 'session_opened',
      step: place.step ?? 0,
      node: place.key,
      image,
      seed: seedOf(crew, place),
    });
  }

  /** Restores a session. Null if the checkpoint is from another sandbox version; then the cells are repeated. */
  async #continueSession(bytes: Uint8Array): Promise<Session | null> {
    try {
      return await this.#context.sandbox.restore(bytes, this.#options());
    } catch (thrown) {
      if (isSondeError(thrown, 'bad_argument')) return null;
      throw thrown;
    }
  }

  /** Repeats a cell with the recorded answers of its operations. */
  async #again(session: Session, { key, code, granted, clock, untimely }: CellRecord): Promise<void> {
    const order: Order = {
      ...{ key, label: '', step: 0, code: untimely ? rolledBack : code },
      ...{ granted, clock, last: true, final: true, before: noGains },
    };
    await this.#execute(session, order, openCell(order, true), this.#context.failure.signal);
  }

  async #execute(session: Session, order: Order, cell: OpenCell, signal: AbortSignal): Promise<CellResult> {
    this.#cell = cell;
    try {
      const timeLeft = this.#place.pool.timeLeft({ final: order.final });
      const wall_ms = Math.max(1, Math.min(cellMs, Math.floor(timeLeft)));
      const limits = { fuel: order.granted, wall_ms, output_bytes: outputBytes, calls: cellCalls };
      const result = await session.execute(order.code, {
        limits,
        signal: AbortSignal.any([signal, cell.stop.signal]),
        ...(order.clock != null && { clock: order.clock }),
      });
      this.#ran += 1;
      return result;
    } catch (thrown) {
      // The session's state is in the last checkpoint.
      if (isSondeError(thrown, 'sandbox_ended')) await this.close();
      throw thrown;
    } finally {
      this.#cell = null;
    }
  }

  #options() {
    const { crew, place } = { crew: this.#context, place: this.#place };
    const operations = operationsOf({
      context: crew,
      place,
      runNested: this.#nested,
      cell: () => this.#cell!,
    });
    return { operations, seed: seedOf(crew, place) };
  }
}

export const seedOf = ({ seed }: RunContext, { key }: TreeNode): string => `${seed}/${key}`;

/** Code that replaces a cell which the clock ended: it counts as one cell and changes no variables. */
export const rolledBack = 'import os\nos._exit(0)';

/** `recordedOnly`: the cell ran before, and its helpers return the recorded answers. */
export function openCell({ key, label, step, last, final, before }: Order, recordedOnly: boolean): OpenCell {
  return {
    key,
    label,
    step,
    before,
    gains: noGains,
    calls: 0,
    refused: 0,
    last,
    final,
    overdue: false,
    endedPastBudget: false,
    stop: new AbortController(),
    recordedOnly,
  };
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value instanceof Special) return null;
  if (typeof value === 'string') return value.trim() === '' ? null : value.slice(0, 20_000);
  return typeof value === 'object' ? JSON.stringify(value).slice(0, 20_000) : String(value);
}
