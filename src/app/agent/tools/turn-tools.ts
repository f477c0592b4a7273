/**
 * Wraps the tools of one turn for the agent's graph: reports each call, and records the content that it read.
 */
import { formatCount, plainLine, SondeError, shortLine, type ToolResult } from '../../../core/index.ts';
import { callUntilAnswered, listMade, type Message } from '../../../session/index.ts';
import type { ToolClient } from '../../../tools/index.ts';
import type { AgentEvent } from '../channel/channel.ts';
import { createOfferedList } from './offered-tools.ts';

type Tools = Pick<ToolClient, 'list' | 'call'>;

/** Maximum length of a line that is displayed. Characters. */
const lineLength = 100;

/** The content that the conversation has read and created so far. */
export interface Trail {
  /** Ids of content that the turn has read, which its writes may cite. */
  readonly reads: Set<string>;
  /** Ids of content that the conversation has read or created at any time. A write may name them as sources. */
  readonly known: Set<string>;
  /** The origins of all material that the history holds. */
  readonly origins: Set<string>;
}

export const newTrail = (): Trail => ({ reads: new Set(), known: new Set(), origins: new Set() });

export function turnTools(tools: Tools, trail: Trail, tell: (event: AgentEvent) => void): Tools {
  let callCount = 0;
  return {
    list: createOfferedList(tools),
    async call(request) {
      callCount += 1;
      const { name } = request;
      const callId = `${callCount}`;
      tell({ kind: 'tool_started', call: callId, name, about: formatAbout(request.args) });
      const { reads, known, origins } = trail;
      const result = await tools.call({
        ...request,
        readTrail: [...reads],
        known: [...known],
        origins: [...origins],
      });
      recordReads(trail, result);
      tell({
        kind: 'tool_finished',
        call: callId,
        name,
        ok: result.ok,
        note: formatNote(result),
        write_id: result.ok ? (result.write?.write_id ?? null) : null,
        ...(result.ok && { reads: listReads(result) }),
      });
      return result;
    },
  };
}

/**
 * The tools of delegated work. Its reads are recorded apart from the planner's, since the planner may cite only what it
 * read itself. Only writes are reported.
 */
export function workTools(
  tools: Tools,
  tell: (event: AgentEvent) => void,
  earlierTrail: Pick<Trail, 'origins'> = newTrail(),
): Tools {
  const trail = newTrail();
  let writeCount = 0;
  return {
    list: createOfferedList(tools),
    async call(request) {
      const { name, args } = request;
      // A write may name only sources that the work has read.
      const readTrail = request.readTrail?.filter((id) => trail.reads.has(id)) ?? [...trail.reads];
      // The task comes from the conversation, so it may repeat what the conversation has read.
      const origins = [...new Set([...earlierTrail.origins, ...trail.origins])];
      const result = await tools.call({ ...request, readTrail, origins });
      if (!result.ok) return result;
      recordReads(trail, result);
      if (result.write !== null) {
        writeCount += 1;
        const callId = `work-${writeCount}`;
        tell({ kind: 'tool_started', call: callId, name, about: formatAbout(args) });
        const { write_id } = result.write;
        tell({ kind: 'tool_finished', call: callId, name, ok: true, note: formatNote(result), write_id });
      }
      return result;
    },
  };
}

/** Maximum ids that a person is shown. */
const maxReads = 50;

const listReads = ({ reads, evidence }: Extract<ToolResult, { ok: true }>): string[] =>
  [...new Set([...reads, ...evidence.map(({ id }) => id)])].slice(0, maxReads);

function recordReads({ reads, known, origins }: Trail, result: ToolResult): void {
  if (!result.ok) return;
  for (const id of result.reads) reads.add(id);
  for (const id of [...result.reads, ...listMade(result)]) known.add(id);
  for (const id of result.origins) origins.add(id);
}

/** Tools whose results contain no text of pages or code, so they add no origin. */
const toolsWithoutMaterial: ReadonlySet<string> = new Set([
  ...['ask_user', 'compact_history', 'list_tools', 'list_scopes', 'current_workspace'],
  ...['put_memory', 'forget_memory', 'run_python'],
]);

/** The origins of all results in the history, not only of one turn: the planner still sees earlier results. */
export function collectOrigins(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((each) => {
      if (each.kind === 'compact') return ['tool:compact_history'];
      if (each.kind !== 'tool' || !each.ok) return [];
      return each.origins ?? (toolsWithoutMaterial.has(each.name) ? [] : [`tool:${each.name}`]);
    }),
  );
}

/** Ids of content that the conversation has read or made, according to its history. */
export function collectKnown(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((each) => (each.kind === 'tool' ? [...(each.reads ?? []), ...(each.made ?? [])] : [])),
  );
}

/** The ids that this turn has read, restored from its history after a crash. */
export function collectReads(messages: readonly Message[]): Set<string> {
  return new Set(
    messagesOfTurn(messages).flatMap((each) => (each.kind === 'tool' ? (each.reads ?? []) : [])),
  );
}

const messagesOfTurn = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1);

/** Tools that show content in full. */
const fullTextTools: ReadonlySet<string> = new Set(['read_page', 'read_block']);

/**
 * The ids that a turn of an earlier version has read. Its results do not contain them, so its reading calls are
 * repeated. Throws `run_state` if the turn delegated work, whose reads were not recorded.
 */
export async function rereadSources(
  messages: readonly Message[],
  thread: string,
  tools: Pick<ToolClient, 'call'>,
): Promise<readonly string[]> {
  const turn = messagesOfTurn(messages);
  const calls = turn.flatMap((each) => (each.kind === 'assistant' ? each.calls : []));
  const ids: string[] = [];
  for (const each of turn) {
    if (each.kind !== 'tool' || !each.ok || each.reads !== undefined) continue;
    if (each.name === 'task') throw turnTooOldError(thread);
    const args = calls.find(({ id }) => id === each.call)?.args;
    if (!fullTextTools.has(each.name) || args === undefined) continue;
    const repeatedResult = await callUntilAnswered(tools, { name: each.name, args });
    if (repeatedResult.ok) ids.push(...repeatedResult.reads);
  }
  return ids;
}

const turnTooOldError = (thread: string): SondeError =>
  new SondeError('run_state', {
    message: `The turn of ${thread} was started by an earlier version, which did not record what its delegated work read`,
    remedy: 'Drop it (/drop in sonde chat, POST /threads/ID/drop), and send the message again.',
  });

function formatAbout(args: Readonly<Record<string, unknown>>): string {
  const [first] = Object.values(args).filter((value) => typeof value === 'string' && value !== '');
  return shortLine(plainLine(typeof first === 'string' ? first : JSON.stringify(args)), lineLength);
}

function formatNote(result: ToolResult): string {
  if (!result.ok) return shortLine(plainLine(`${result.error.code}: ${result.error.message}`), lineLength);
  const { write, deviation_ids, text } = result;
  if (write !== null)
    return `${write.applied ? 'proposed' : 'held for you'}${deviation_ids.length > 0 ? `, ${deviation_ids.length} deviations` : ''}`;
  const lines = text.split('\n').length;
  return `${formatCount(lines, 'line')}${result.completeness === 'complete' ? '' : `, ${result.completeness}`}`;
}
