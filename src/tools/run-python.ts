/** The sandbox as a tool: runs one program in a new instance, which is discarded afterwards and can reach nothing. */
import { z } from 'zod';
import { type Tool, type ToolResult, toolFailure, toolReply } from '../core/index.ts';
import type { CellResult, KillCause, Sandbox } from '../sandbox/index.ts';
import { readTool } from './define.ts';
import { createCancelledResult } from './failures.ts';

/** Maximum programs at the same time; further calls wait. */
const maxParallel = 2;

/** `open` is called at the first call of the tool, so that a host starts no sandbox before one is needed. */
export function pythonTools(open: () => Promise<Sandbox>): readonly Tool[] {
  const runInSlot = createSlots(maxParallel);
  let sandbox: Promise<Sandbox> | undefined;
  return [
    readTool({
      name: 'run_python',
      description:
        'Runs Python in a sandbox: standard library (without sqlite3, zlib, zoneinfo, asyncio), no files, no network, nothing kept. Gives what it prints and the value of a last expression.',
      input: {
        code: z.string().min(1).max(1_000_000),
        seconds: z.int().min(1).max(60).default(10),
      },
      capability: 'SandboxRun',
      cost: '50 ms and what the program takes; output up to 64 KB',
      run: ({ code, seconds }, { signal }) =>
        runInSlot(async () => {
          if (signal?.aborted === true) return createCancelledResult('run_python');
          sandbox ??= open().catch((thrown: unknown) => {
            // The next call tries again.
            sandbox = undefined;
            throw thrown;
          });
          const session = await (await sandbox).open({ limits: { wall_ms: seconds * 1000, calls: 0 } });
          try {
            return toToolResult(await session.execute(code, signal === undefined ? {} : { signal }));
          } finally {
            await session.close();
          }
        }),
    }),
  ];
}

/** Limits that end a program with an exception; other limits only shorten its output. */
const endings: ReadonlySet<string> = new Set(['fuel', 'wall_ms', 'memory_bytes']);

function toToolResult(result: CellResult): ToolResult {
  const { stdout, stderr, fuel, wall_ms } = result;
  const common = {
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: stdout.truncated || stderr.truncated,
  };
  const used = { fuel, wall_ms: Math.round(wall_ms) };
  if (result.kind === 'killed') return toKilledResult(result.reason, { ...common, ...used });
  const end = result.kind === 'error' && result.hits.find(({ limit }) => endings.has(limit));
  if (end) return toKilledResult(end, { ...common, ...used });
  const value = result.kind === 'ok' ? (result.value?.repr ?? null) : null;
  const error = result.kind === 'error' ? result.error : null;
  const text = [stdout.text, stderr.text, error?.traceback ?? value ?? ''].filter((part) => part !== '');
  return toolReply(
    text.map((part) => part.replace(/\n$/, '')).join('\n') || '(no output)',
    { status: result.kind, ...common, value, error, ...used },
    {
      completeness: common.truncated ? 'partial' : 'complete',
      notes: common.truncated ? ['the output was longer: its middle is left out'] : [],
    },
  );
}

function toKilledResult(reason: KillCause, output: Readonly<Record<string, unknown>>): ToolResult {
  if (reason.kind === 'cancelled') return createCancelledResult('run_python');
  if (reason.kind === 'limit')
    return toolFailure(
      'budget',
      `the program reached its limit of ${reason.limit}: ${reason.used} of ${reason.allowed}`,
      { remedy: 'Make it do less, or give it more seconds.', details: { ...reason, ...output } },
    );
  const how =
    reason.kind === 'exit' ? `ended the interpreter with ${reason.code}` : 'crashed the interpreter';
  return toolFailure('tool', `the program ${how}`, {
    remedy: 'Let it run to its end, and print what it finds.',
    details: { ...reason, ...output },
  });
}

function createSlots(max: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let free = max;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
