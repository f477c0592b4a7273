/**
 * The tools of one turn, as the agent hands them to its graph: every call is reported, and what was read is
 * noted.
 */
import { plainLine, SondeError, shortLine, type ToolResult } from '../../core/index.ts';
import { callUntilAnswered, listMade, type Message } from '../../session/index.ts';
import type { ToolClient } from '../../tools/index.ts';
import type { AgentEvent } from './channel.ts';
import { offering } from './offered-tools.ts';

type Tools = Pick<ToolClient, 'list' | 'call'>;

/** Characters of a line for people. */
const lineLength = 100;

/** What a conversation has before it. */
export interface Trail {
  /** Ids of what the turn has read: what it writes may rest on them. */
  readonly reads: Set<string>;
  /** Ids of what the conversation has read or made at any time, which a write may name as a source. */
  readonly known: Set<string>;
  /** Where all of the material is from that its history holds. */
  readonly origins: Set<string>;
}

export const newTrail = (): Trail => ({ reads: new Set(), known: new Set(), origins: new Set() });

export function turnTools(tools: Tools, trail: Trail, tell: (event: AgentEvent) => void): Tools {
  let calls = 0;
  return {
    list: offering(tools),
    async call(request) {
      calls += 1;
      const { name } = request;
      const call = `${calls}`;
      tell({ kind: 'tool_started', call, name, about: aboutOf(request.args) });
      const { reads, known, origins } = trail;
      const result = await tools.call({
        ...request,
        readTrail: [...reads],
        known: [...known],
        origins: [...origins],
      });
      note(trail, result);
      tell({
        kind: 'tool_finished',
        call,
        name,
        ok: result.ok,
        note: noteOf(result),
        write_id: result.ok ? (result.write?.write_id ?? null) : null,
        ...(result.ok && { reads: readIn(result) }),
      });
      return result;
    },
  };
}

/**
 * The tools of delegated work. What it reads is its own, so that what the planner writes afterwards rests on
 * what the planner read; of its hundreds of calls only those that write are reported.
 */
export function workTools(
  tools: Tools,
  tell: (event: AgentEvent) => void,
  before: Pick<Trail, 'origins'> = newTrail(),
): Tools {
  const own = newTrail();
  let writes = 0;
  return {
    list: offering(tools),
    async call(request) {
      const { name, args } = request;
      // What a write rests on may be named more narrowly than all that was read, never more widely.
      const readTrail = request.readTrail?.filter((id) => own.reads.has(id)) ?? [...own.reads];
      // What it was given to do comes out of the conversation, and may repeat what that has seen.
      const origins = [...new Set([...before.origins, ...own.origins])];
      const result = await tools.call({ ...request, readTrail, origins });
      if (!result.ok) return result;
      note(own, result);
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

/** As many as a person looks at. */
const maxReads = 50;

const readIn = ({ reads, evidence }: Extract<ToolResult, { ok: true }>): string[] =>
  [...new Set([...reads, ...evidence.map(({ id }) => id)])].slice(0, maxReads);

function note({ reads, known, origins }: Trail, result: ToolResult): void {
  if (!result.ok) return;
  for (const id of result.reads) reads.add(id);
  for (const id of [...result.reads, ...listMade(result)]) known.add(id);
  for (const id of result.origins) origins.add(id);
}

/** Tools whose results hold no material. */
const withoutMaterial: ReadonlySet<string> = new Set([
  ...['ask_user', 'compact_history', 'list_tools', 'list_scopes', 'current_workspace'],
  ...['put_memory', 'forget_memory', 'run_python'],
]);

/** Over the whole history, not one turn: the planner still sees what it saw before. */
export function originsSoFar(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((each) => {
      if (each.kind === 'compact') return ['tool:compact_history'];
      if (each.kind !== 'tool' || !each.ok) return [];
      return each.origins ?? (withoutMaterial.has(each.name) ? [] : [`tool:${each.name}`]);
    }),
  );
}

/** What was read or made in the conversation, as far as its history has it. */
export function collectKnown(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((each) => (each.kind === 'tool' ? [...(each.reads ?? []), ...(each.made ?? [])] : [])),
  );
}

/** What this turn has read, from its history: after a crash the next process knows it from there. */
export function readSoFar(messages: readonly Message[]): Set<string> {
  return new Set(ofTurn(messages).flatMap((each) => (each.kind === 'tool' ? (each.reads ?? []) : [])));
}

const ofTurn = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1);

/** Tools that show content whole. */
const reading: ReadonlySet<string> = new Set(['read_page', 'read_block']);

/**
 * What a turn begun by an earlier version has read: its results do not say so, and are asked for again.
 * Throws `run_state` where it delegated work, since the result does not say what that read.
 */
export async function readBefore(
  messages: readonly Message[],
  thread: string,
  tools: Pick<ToolClient, 'call'>,
): Promise<readonly string[]> {
  const turn = ofTurn(messages);
  const calls = turn.flatMap((each) => (each.kind === 'assistant' ? each.calls : []));
  const ids: string[] = [];
  for (const each of turn) {
    if (each.kind !== 'tool' || !each.ok || each.reads !== undefined) continue;
    if (each.name === 'task') throw tooOld(thread);
    const args = calls.find(({ id }) => id === each.call)?.args;
    if (!reading.has(each.name) || args === undefined) continue;
    const again = await callUntilAnswered(tools, { name: each.name, args });
    if (again.ok) ids.push(...again.reads);
  }
  return ids;
}

const tooOld = (thread: string): SondeError =>
  new SondeError('run_state', {
    message: `The turn of ${thread} was begun by an earlier version, and what its work has read is not known to this one`,
    remedy: 'Drop it (/drop in sonde chat, POST /threads/ID/drop), and send the message again.',
  });

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
