import { messageOf } from '../core/index.ts';
import type { KillReason, OutputHeadTail, RunReport } from './inside/protocol.ts';
import { type Limits, limitHit } from './limits.ts';
import type { CellResult, CellValue, GuestError, KillCause, Output, Variable } from './sandbox.ts';
import { fromJson } from './value.ts';

/** The reply of the guest's driver. It comes from inside the sandbox, so it may be anything. */
export interface DriverReply {
  readonly status?: unknown;
  readonly error?: Partial<GuestError>;
  readonly value?: {
    readonly type: string;
    readonly repr: string;
    readonly value?: unknown;
    readonly problem?: string;
  };
  readonly names?: unknown;
  readonly rows?: unknown;
}

/** The result for the caller. `names`: the variables from before the cell, used if it was rolled back. */
export function toCellResult(
  run: RunReport,
  reply: DriverReply | null,
  limits: Limits,
  names: readonly string[],
): CellResult {
  const hits = run.excesses.map(({ limit, allowed, used }) => limitHit(limit, allowed, used));
  for (const { bytes } of [run.stdout, run.stderr]) {
    if (bytes > limits.output_bytes) hits.push(limitHit('output_bytes', limits.output_bytes, bytes));
  }
  const common = {
    stdout: toOutput(run.stdout),
    stderr: toOutput(run.stderr),
    fuel: run.fuel,
    wall_ms: run.wallMs,
    host_ms: run.hostMs,
    calls: run.calls,
    memory_bytes: run.memoryBytes,
    clock: run.clock,
    names: reply?.names === undefined ? names : toTexts(reply.names),
    hits,
  };
  if (run.killed) {
    const reason = toKillCause(run.killed);
    if (reason.kind === 'limit' && !hits.some(({ limit }) => limit === reason.limit)) hits.push(reason);
    return Object.freeze({ ...common, kind: 'killed', reason, rolled_back: true });
  }
  if (reply?.status === 'ok')
    return Object.freeze({ ...common, kind: 'ok', value: toCellValue(reply.value) });
  return Object.freeze({ ...common, kind: 'error', error: toGuestError(reply?.error) });
}

/**
 * The exit code by which the driver says that no further cell can run in its interpreter; see guest/sonde_driver.py.
 */
const unusableExitCode = 86;

function toKillCause(reason: KillReason): KillCause {
  if (reason.kind === 'exit' && reason.code === unusableExitCode)
    return { kind: 'abort', detail: 'no other cell could have run after it' };
  if (reason.kind !== 'limit') return reason;
  return limitHit(reason.excess.limit, reason.excess.allowed, reason.excess.used);
}

function toGuestError(error: Partial<GuestError> | undefined): GuestError {
  return Object.freeze({
    type: toText(error?.type),
    message: toText(error?.message),
    traceback: toText(error?.traceback),
  });
}

export function toCellValue(sent: DriverReply['value']): CellValue | null {
  if (typeof sent !== 'object' || sent === null) return null;
  const { type, repr, problem } = sent;
  return Object.freeze({
    type: toText(type),
    repr: toText(repr),
    ...decodeCellValue(sent),
    ...(problem !== undefined && { problem: toText(problem) }),
  });
}

function decodeCellValue(sent: { readonly value?: unknown }): Pick<CellValue, 'value' | 'problem'> {
  if (!('value' in sent)) return {};
  try {
    return { value: fromJson(sent.value, 0) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export function parseVariables(reply: DriverReply | null): readonly Variable[] | null {
  if (reply?.status !== 'ok' || !Array.isArray(reply.rows)) return null;
  const rows = (reply.rows as unknown[]).filter((row) => typeof row === 'object' && row !== null);
  return (rows as Partial<Variable>[]).map((row) =>
    Object.freeze({
      name: toText(row.name),
      type: toText(row.type),
      size: typeof row.size === 'number' ? row.size : null,
      preview: toText(row.preview),
    }),
  );
}

function toOutput({ head, tail, bytes, leftOut }: OutputHeadTail): Output {
  const text = leftOut === 0 ? head : `${head}\n[... ${leftOut} of ${bytes} bytes left out ...]\n${tail}`;
  return Object.freeze({ text, bytes, truncated: leftOut > 0 });
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toTexts(value: unknown): readonly string[] {
  return Object.freeze(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
}
