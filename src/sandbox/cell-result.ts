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
export function cellResult(
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
    stdout: output(run.stdout),
    stderr: output(run.stderr),
    fuel: run.fuel,
    wall_ms: run.wallMs,
    host_ms: run.hostMs,
    calls: run.calls,
    memory_bytes: run.memoryBytes,
    clock: run.clock,
    names: reply?.names === undefined ? names : texts(reply.names),
    hits,
  };
  if (run.killed) {
    const reason = killCause(run.killed);
    if (reason.kind === 'limit' && !hits.some(({ limit }) => limit === reason.limit)) hits.push(reason);
    return Object.freeze({ ...common, kind: 'killed', reason, rolled_back: true });
  }
  if (reply?.status === 'ok') return Object.freeze({ ...common, kind: 'ok', value: cellValue(reply.value) });
  return Object.freeze({ ...common, kind: 'error', error: guestError(reply?.error) });
}

/**
 * The exit code by which the driver says that no further cell can run in its interpreter; see guest/sonde_driver.py.
 */
const unusableExitCode = 86;

function killCause(reason: KillReason): KillCause {
  if (reason.kind === 'exit' && reason.code === unusableExitCode)
    return { kind: 'abort', detail: 'no other cell could have run after it' };
  if (reason.kind !== 'limit') return reason;
  return limitHit(reason.excess.limit, reason.excess.allowed, reason.excess.used);
}

function guestError(error: Partial<GuestError> | undefined): GuestError {
  return Object.freeze({
    type: text(error?.type),
    message: text(error?.message),
    traceback: text(error?.traceback),
  });
}

export function cellValue(sent: DriverReply['value']): CellValue | null {
  if (typeof sent !== 'object' || sent === null) return null;
  const { type, repr, problem } = sent;
  return Object.freeze({
    type: text(type),
    repr: text(repr),
    ...decodedValue(sent),
    ...(problem !== undefined && { problem: text(problem) }),
  });
}

function decodedValue(sent: { readonly value?: unknown }): Pick<CellValue, 'value' | 'problem'> {
  if (!('value' in sent)) return {};
  try {
    return { value: fromJson(sent.value, 0) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export function variableRows(reply: DriverReply | null): readonly Variable[] | null {
  if (reply?.status !== 'ok' || !Array.isArray(reply.rows)) return null;
  const rows = (reply.rows as unknown[]).filter((row) => typeof row === 'object' && row !== null);
  return (rows as Partial<Variable>[]).map((row) =>
    Object.freeze({
      name: text(row.name),
      type: text(row.type),
      size: typeof row.size === 'number' ? row.size : null,
      preview: text(row.preview),
    }),
  );
}

function output({ head, tail, bytes, leftOut }: OutputHeadTail): Output {
  const text = leftOut === 0 ? head : `${head}\n[... ${leftOut} of ${bytes} bytes left out ...]\n${tail}`;
  return Object.freeze({ text, bytes, truncated: leftOut > 0 });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return Object.freeze(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
}
