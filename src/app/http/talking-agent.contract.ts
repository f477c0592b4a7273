/** An agent for tests of the interface: the real turns over the real queue, with a script in place of a model. */
import { type ToolResult, toolFailure, toolReply } from '../../core/index.ts';
import { type ModelRequest, type ScriptLine, scriptedModel } from '../../model/index.ts';
import type { Sessions, Store } from '../../store/index.ts';
import type { ToolRequest } from '../../tools/index.ts';
import { type Agent, runAgent } from '../agent/agent.ts';
import { type AgentClient, agentClient } from '../agent/channel/channel-client.ts';
import { memoryWires } from '../agent/channel/memory-wire.ts';
import { openRequestQueue, type RequestQueue } from '../agent/requests/request-queue.ts';
import { progressCounter } from '../agent/thread-runs.ts';

export interface TalkingAgent {
  readonly client: AgentClient;
  readonly requests: RequestQueue;
  /** Calls of `wait` end when this is called; where none has begun yet, the next one does not wait. */
  release(): void;
  /** What the agent's planner was sent, in order. */
  readonly prompts: () => readonly string[];
  close(): Promise<void>;
}

export interface TalkingOptions {
  readonly sessions: Sessions;
  readonly store: Store;
  /** Makes a page, and says which write that was. */
  readonly propose: (path: string) => { readonly write_id: string; readonly id: string };
}

const names = ['look', 'wait', 'propose'] as const;

/**
 * It does what the person's last message begins with: look, wait, propose, ask; whatever else is said it says again.
 */
function scriptedReply({ messages }: ModelRequest): ScriptLine {
  // What is said behind results stands in one message with them.
  const readPersonText = (text: string): string => text.replace(/^<result[\s\S]*<\/result>/, '').trim();
  const lastPersonAt = messages.findLastIndex(
    ({ role, text }) => role === 'user' && readPersonText(text) !== '',
  );
  const [firstLine = ''] = readPersonText(messages[lastPersonAt]!.text).split('\n', 1);
  const isDone = (name: string): boolean =>
    messages.slice(lastPersonAt + 1).some(({ text }) => text.includes(`<result of="${name}"`));
  const name = names.find((each) => firstLine.startsWith(each));
  if (name !== undefined && !isDone(name)) return { text: '', calls: [{ name, input: { path: firstLine } }] };
  if (firstLine.startsWith('ask') && !isDone('ask_user'))
    return { text: '', calls: [{ name: 'ask_user', input: { question: 'Which one?' } }] };
  return { text: `heard: ${firstLine}`, calls: [] };
}

export async function openTalkingAgent({ sessions, store, propose }: TalkingOptions): Promise<TalkingAgent> {
  let gate = Promise.withResolvers<void>();
  let waitingCalls = 0;
  let isOpen = false;
  const planner = scriptedModel(scriptedReply);
  async function call({ name, args, signal }: ToolRequest): Promise<ToolResult> {
    const path = String(args['path'] ?? '');
    if (name === 'wait') {
      const stopped = new Promise<void>((done) => {
        signal?.addEventListener('abort', () => done());
        if (signal?.aborted === true) done();
      });
      waitingCalls += 1;
      if (!isOpen) await Promise.race([gate.promise, stopped]);
      isOpen = false;
      waitingCalls -= 1;
      return signal?.aborted === true
        ? toolFailure('cancelled', 'It was cancelled')
        : toolReply('waited', null);
    }
    if (name === 'look') return toolReply('a line', null, { reads: ['pg-looked'] });
    if (name !== 'propose') return toolReply('', { scopes: [] });
    const { write_id, id } = propose(path);
    const write = { write_id, applied: true, content_ids: [id] };
    return toolReply('proposed', null, { write });
  }
  const [hostWire, agentWire] = memoryWires();
  const agent: Agent = runAgent(agentWire, {
    sessions,
    store,
    planner,
    analyst: scriptedModel([]),
    limits: { tokens: 1_000_000 },
    clock: { now: Date.now },
    random: () => 0.5,
    sleep: async () => {},
    redact: (text) => text,
    mask: { value: (value) => value },
    connect: async () => ({
      list: async () =>
        names.map((name) => ({
          ...{ name, description: name, parameters: { type: 'object' }, capability: null },
          ...{ effect: 'read', derivation: 'none', cost: 'none' },
        })),
      call,
      close: async () => {},
    }),
  });
  const client = agentClient(hostWire);
  const requests = await openRequestQueue({
    queue: sessions.queue,
    tell: () => {},
    progress: progressCounter(store, sessions),
    issue: () => ({ tools: { url: 'http://here', token: 't' }, revoke: () => {} }),
  });
  await client.ready;
  requests.up(client);
  return {
    client,
    requests,
    prompts: () => planner.calls.map(({ messages }) => messages.map(({ text }) => text).join('\n')),
    release() {
      isOpen = waitingCalls === 0;
      gate.resolve();
      gate = Promise.withResolvers();
    },
    async close() {
      gate.resolve();
      await requests.close();
      await agent.close();
    },
  };
}
