import {
  type Clock,
  type Masker,
  systemClock,
  type Tool,
  type ToolCall,
  type ToolResult,
} from '../core/index.ts';
import { createCatalogue, toListing } from './catalogue.ts';
import { controlTools } from './control.ts';
import { cutResult } from './cut-result.ts';
import {
  createBadArgumentsResult,
  createCancelledResult,
  createDeniedResult,
  createUnknownToolResult,
  toFailure,
} from './failures.ts';
import { type KeptLimits, KeptResults } from './kept-results.ts';
import { addOrigins } from './origins.ts';
import type { ToolHost, ToolListing } from './tools.ts';

export interface ToolHostOptions {
  readonly tools: readonly Tool[];
  readonly workspace?: ToolHost['workspace'];
  /** Removes from a message the secrets that the process knows. */
  readonly redact?: (text: string) => string;
  /** Hides secrets in the results of tools, unless the caller is a person (of kind `user`). */
  readonly mask?: Pick<Masker, 'value'>;
  readonly clock?: Clock;
  readonly kept?: KeptLimits;
}

/** Throws `bad_argument` for tools that can't be in one catalogue, such as two with the same name. */
export function openToolHost(options: ToolHostOptions): ToolHost {
  const { workspace = null, redact = (text) => text, mask, clock = systemClock } = options;
  const keptResults = new KeptResults(clock, options.kept);
  const known = createCatalogue([
    ...options.tools,
    ...controlTools(() => [...known.values()], workspace, keptResults),
  ]);
  let listed: readonly ToolListing[] | undefined;

  async function run(tool: Tool, args: unknown, call: ToolCall): Promise<ToolResult> {
    try {
      const running = tool.run(args, call);
      // A write that has begun is waited for, so that an applied write is never reported as cancelled.
      const result = await (tool.effect === 'write' ? running : raceAbort(running, tool.name, call.signal));
      const toolResult = addOrigins(tool, result);
      const shown = mask === undefined || call.caller.kind === 'user' ? toolResult : mask.value(toolResult);
      return cutResult(shown, (parts) => keptResults.keep(parts, call.caller, tool.capability));
    } catch (thrown) {
      if (call.signal?.aborted === true && tool.effect === 'read') return createCancelledResult(tool.name);
      return toFailure(tool.name, thrown, redact);
    }
  }

  return Object.freeze({
    workspace,
    list() {
      listed ??= Object.freeze([...known.values()].map(toListing));
      return listed;
    },
    async callTool(name, args, call) {
      const tool = known.get(name);
      if (tool === undefined) return createUnknownToolResult(String(name));
      if (call.signal?.aborted === true) return createCancelledResult(name);
      if (tool.capability !== null && !call.capabilities.has(tool.capability))
        return createDeniedResult(name, tool.capability);
      const parsed = tool.parameters.safeParse(args ?? {});
      return parsed.success ? run(tool, parsed.data, call) : createBadArgumentsResult(tool, parsed.error);
    },
  } satisfies ToolHost);
}

/** Returns the result; if the signal aborts first, returns a cancelled result and ignores the read's own. */
async function raceAbort(
  running: Promise<ToolResult>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  if (signal === undefined) return running;
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  const stop = () => resolve(createCancelledResult(name));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([running, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    running.catch(() => {});
  }
}
