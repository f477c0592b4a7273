import { messageOf } from '../core/index.ts';
import { describeHit } from './limits.ts';
import type { CellResult, KillCause, Session } from './sandbox.ts';
import { plainJson } from './value.ts';

/** The result of one line of code, as `sonde python --jsonl` prints it. */
export interface CellLine {
  /** `invalid`: the line was not a cell; nothing ran. `ended`: the session broke down; the next line starts another. */
  readonly status: CellResult['kind'] | 'invalid' | 'ended';
  readonly stdout: string;
  /** The standard error of the cell, then the traceback or the reason why the cell was killed. */
  readonly stderr: string;
  /** The value of the last expression as JSON, or its `repr()` if it can't be JSON. */
  readonly value: unknown;
  readonly fuel: number;
  readonly wall_ms: number;
  readonly names: readonly string[];
  /** Bytes printed on each stream, where not all of them are shown. */
  readonly truncated?: { readonly stdout: number; readonly stderr: number };
  /** Why a cell was killed, or the exception it ended with. */
  readonly reason?:
    | KillCause
    | { readonly kind: 'exception'; readonly type: string; readonly message: string };
}

const emptyLine = { stdout: '', value: null, fuel: 0, wall_ms: 0, names: [] };

/** Runs lines of `{"code": "..."}` as the cells of one session; one result for each line, even a bad one. */
export async function* runJsonLines(
  lines: AsyncIterable<string>,
  open: () => Promise<Session>,
): AsyncGenerator<CellLine> {
  let session: Session | null = null;
  try {
    for await (const line of lines) {
      const code = parseCode(line);
      if (code === null) {
        yield {
          ...emptyLine,
          status: 'invalid',
          stderr: 'each line must be a JSON object with a string field "code"\n',
        };
        continue;
      }
      try {
        session ??= await open();
        yield toCellLine(await session.execute(code));
      } catch (error) {
        await session?.close();
        session = null;
        yield { ...emptyLine, status: 'ended', stderr: `${messageOf(error)}\n` };
      }
    }
  } finally {
    await session?.close();
  }
}

function parseCode(line: string): string | null {
  try {
    const parsed = JSON.parse(line) as { code?: unknown } | null;
    return typeof parsed?.code === 'string' ? parsed.code : null;
  } catch {
    return null;
  }
}

export function toCellLine(result: CellResult): CellLine {
  const { stdout, stderr, fuel, wall_ms, names } = result;
  const printed = { stdout: stdout.bytes, stderr: stderr.bytes };
  return {
    status: result.kind,
    stdout: stdout.text,
    stderr: stderr.text + failureText(result),
    value: result.kind === 'ok' ? toJsonValue(result.value) : null,
    fuel,
    wall_ms: Math.round(wall_ms * 10) / 10,
    names,
    ...((stdout.truncated || stderr.truncated) && { truncated: printed }),
    ...(result.kind === 'killed' && { reason: result.reason }),
    ...(result.kind === 'error' && {
      reason: result.hits.find(({ limit }) => limit !== 'output_bytes') ?? {
        kind: 'exception',
        type: result.error.type,
        message: result.error.message,
      },
    }),
  };
}

/** The traceback and the limits that were exceeded, or why the cell was killed; empty for a cell without a failure. */
export function failureText(result: CellResult): string {
  const hits = result.hits.map((hit) => `limit: ${describeHit(hit)}\n`).join('');
  if (result.kind === 'error') return result.error.traceback + hits;
  if (result.kind === 'ok') return '';
  return `killed: ${killText(result.reason)}; the session is as it was before this cell\n`;
}

function killText(reason: KillCause): string {
  switch (reason.kind) {
    case 'limit':
      return describeHit(reason);
    case 'cancelled':
      return 'cancelled';
    case 'exit':
      return `the interpreter was told to exit with status ${reason.code}`;
    case 'abort':
      return `the interpreter crashed (${reason.detail})`;
  }
}

function toJsonValue(value: Extract<CellResult, { kind: 'ok' }>['value']): unknown {
  if (!value) return null;
  return value.value === undefined ? value.repr : plainJson(value.value);
}
