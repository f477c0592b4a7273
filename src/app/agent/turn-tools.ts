/** The tools of one turn, as the agent hands them to its graph: every call is told, and what was read is noted. */
import { plainLine, shortLine, type ToolResult } from '../../core/index.ts';
import { type Message, quotedText } from '../../session/index.ts';
import type { ToolClient } from '../../tools/index.ts';
import type { AgentEvent } from './channel.ts';

type Tools = Pick<ToolClient, 'list' | 'call'>;

/** Tools that show content whole; what a search shows was not read. */
const reading: ReadonlySet<string> = new Set(['read_page', 'read_block']);

/** Characters of a line for people. */
const lineLength = 100;

export function turnTools(tools: Tools, read: Set<string>, tell: (event: AgentEvent) => void): Tools {
  let calls = 0;
  return {
    list: () => tools.list(),
    async call(request) {
      calls += 1;
      const { name } = request;
      const call = `${calls}`;
      tell({ kind: 'tool_started', call, name, about: aboutOf(request.args) });
      const result = await tools.call({ ...request, readTrail: [...read] });
      if (result.ok && reading.has(name)) for (const id of idsOf(result.text)) read.add(id);
      tell({
        kind: 'tool_finished',
        call,
        name,
        ok: result.ok,
        note: noteOf(result),
        write_id: result.ok ? (result.write?.write_id ?? null) : null,
      });
      return result;
    },
  };
}

/**
 * The tools of work that is handed on. What it reads is its own, so that what the planner writes afterwards rests on
 * what the planner read; and of hundreds of calls only those that write are told.
 */
export function workTools(tools: Tools, tell: (event: AgentEvent) => void): Tools {
  const read = new Set<string>();
  let writes = 0;
  return {
    list: () => tools.list(),
    async call(request) {
      const { name, args } = request;
      // What a write rests on may be named more narrowly than all that was read, never more widely.
      const readTrail = request.readTrail?.filter((id) => read.has(id)) ?? [...read];
      const result = await tools.call({ ...request, readTrail });
      if (!result.ok) return result;
      if (reading.has(name)) for (const id of idsOf(result.text)) read.add(id);
      if (result.write !== null) {
        writes += 1;
        const call = `work-${writes}`;
        tell({ kind: 'tool_started', call, name, about: aboutOf(args) });
        const { write_id } = result.write;
        tell({ kind: 'tool_finished', call, name, ok: true, note: noteOf(result), write_id });
      }
      return result;
    },
  };
}

/**
 * What this turn has read, from its history: after a crash the next process knows it from there. What work that was
 * handed on has read stands under the name of its run, whose log the host asks.
 */
export function readSoFar(messages: readonly Message[]): Set<string> {
  const turn = messages.slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1);
  return new Set(
    turn.flatMap((each) => {
      if (each.kind !== 'tool' || !each.ok) return [];
      if (each.name === 'task') return runsOf(dataIn(each.text));
      return reading.has(each.name) ? idsOf(quotedText(each.text)) : [];
    }),
  );
}

/** Of the result of a task. */
export function runsOf(output: unknown): readonly string[] {
  const { run_id } = (output ?? {}) as { readonly run_id?: unknown };
  return typeof run_id === 'string' ? [run_id] : [];
}

function dataIn(text: string): unknown {
  try {
    return JSON.parse(quotedText(text));
  } catch {
    return null;
  }
}

/** The first line of what a reading tool says names the content, a page by its path and id, a block by its id. */
function idsOf(text: string): readonly string[] {
  const [first = ''] = text.split('\n', 1);
  const [, id] = /\[((?:pg|bl)-[\w-]+)[^\]]*\]/.exec(first) ?? [];
  return id === undefined ? [] : [id];
}

function aboutOf(args: Readonly<Record<string, unknown>>): string {
  const [first] = Object.values(args).filter((value) => typeof value === 'string' && value !== '');
  return shortLine(plainLine(typeof first === 'string' ? first : JSON.stringify(args)), lineLength);
}

function noteOf(result: ToolResult): string {
  if (!result.ok) return shortLine(plainLine(`${result.error.code}: ${result.error.message}`), lineLength);
  const { write, deviation_ids, text } = result;
  if (write !== null)
    return `${write.applied ? 'proposed' : 'held for you'}${deviation_ids.length > 0 ? `, ${deviation_ids.length} deviations` : ''}`;
  const lines = text.split('\n').length;
  return `${lines} ${lines === 1 ? 'line' : 'lines'}${result.completeness === 'complete' ? '' : `, ${result.completeness}`}`;
}
