/**
 * `sonde world analyse`: a turn of a conversation whose planner is a function that hands the work to the import
 * analyst. The thread stays: after a kill it can be resumed, and afterwards the report can be talked about in it.
 */
import { randomUUID } from 'node:crypto';
import { SondeError, shortLine, unquoteText } from '../../core/index.ts';
import type { Plan } from '../../session/index.ts';
import type { ImportReport } from '../../tasks/index.ts';
import type { TurnEndedEvent } from '../agent/channel/channel-client.ts';
import { openLocalAgent } from '../agent/in-process.ts';
import { loadConfiguration, processEnvironment, type SettingKey } from '../config/index.ts';

export interface AnalysisRequest {
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly under?: string;
  readonly perKind: number;
  readonly proposals: number;
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
}

export interface Analysis {
  readonly thread: string;
  readonly report: ImportReport;
}

/** Throws `cancelled`, `not_found` for a missing workspace, and `run_state` if the analysis did not end with a report. */
export async function analyseImport({
  settings,
  signal,
  onNote,
  ...options
}: AnalysisRequest): Promise<Analysis> {
  const { under, perKind, proposals } = options;
  const input = { per_kind: perKind, proposals, ...(under !== undefined && { under }) };
  const { workspace } = loadConfiguration({ environment: processEnvironment(), flags: settings }).values;
  const agent = await openLocalAgent({ workspace, settings, plan: delegatingPlan(input) });
  const thread = `analysis-${randomUUID().slice(0, 8)}`;
  try {
    for (const note of agent.notes) onNote(note);
    const { text, status } = await runAnalysis(agent.client, thread, signal);
    if (status === 'cancelled') throw new SondeError('cancelled', { message: 'The analysis was cancelled' });
    const { importReport } = await import('../../tasks/subagent/index.ts');
    const parsed = status === 'answered' ? importReport.safeParse(parseState(text)) : undefined;
    if (parsed?.success === true) return { thread, report: parsed.data };
    throw new SondeError('run_state', {
      message: `The analysis did not come to its end: ${describeFailure(text)}`,
      remedy: `sonde chat --thread ${thread} shows how it stands.`,
    });
  } finally {
    await agent.close();
  }
}

/** A report that could not be read is not repeated: it is long, and holds text of the pages. */
const describeFailure = (text: string): string =>
  text.trimStart().startsWith('{') ? 'its report could not be read' : shortLine(text, maxReason);
const maxReason = 300;

/** A planner that calls the analyst once and then answers with its report. */
function delegatingPlan(input: Readonly<Record<string, string | number>>): Plan {
  return (messages) => {
    const messagesOfTurn = messages.slice(messages.findLastIndex(({ kind }) => kind === 'user'));
    const result = messagesOfTurn.find((message) => message.kind === 'tool' && message.name === 'task');
    if (result?.kind === 'tool') return { text: unquoteText(result.text), calls: [] };
    const params = { subgraph: 'import-analyst', input };
    return {
      text: '',
      calls: [{ name: 'task', args: { shape: 'subagent-subgraph', params } }],
    };
  };
}

type Client = Awaited<ReturnType<typeof openLocalAgent>>['client'];

async function runAnalysis(client: Client, thread: string, signal: AbortSignal): Promise<TurnEndedEvent> {
  const cancel = () => void client.request({ type: 'cancel', thread_id: thread }).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const turnEnd = await client.turn({
    type: 'start_run',
    thread_id: thread,
    message_id: `m-${randomUUID()}`,
    prompt: 'What did the import leave to be mended?',
  });
  if ('type' in turnEnd)
    throw new SondeError('run_state', { message: turnEnd.message, remedy: 'Try it again.' });
  return turnEnd;
}

function parseState(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly state?: unknown }).state;
  } catch {
    return undefined;
  }
}
