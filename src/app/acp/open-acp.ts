/** `sonde acp`: the agent of a workspace for one editor, on standard input and output. */
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { plainLine } from '../../core/index.ts';
import { type OpenAgent, openAgent } from '../agent/in-process.ts';
import type { SettingKey } from '../config/index.ts';
import { currentProcess } from '../current-process.ts';
import { version } from '../version.ts';
import { author } from '../workspace/workspace.ts';
import { type AcpAgent, type AcpPorts, connectAcp } from './acp-agent.ts';

export interface AcpRequest {
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** A folder of code that the agent may read. */
  readonly root?: string;
  readonly signal: AbortSignal;
}

/** Ends when its input ends. A turn that was running can be resumed. */
export async function openAcp({ settings, root, signal }: AcpRequest): Promise<void> {
  const first = await openAgent({ settings, signal, ...(root !== undefined && { root }) });
  const { stdin, stdout, stderr } = currentProcess();
  // Standard output carries only messages of the protocol.
  const tell = (note: string): void => void stderr.write(`note: ${plainLine(note)}\n`);
  for (const note of first.notes) tell(note);
  const agents = shareAgent(first, tell);
  try {
    const connection = connectAcp(
      ndJsonStream(
        Writable.toWeb(stdout as Writable) as WritableStream<Uint8Array>,
        Readable.toWeb(stdin as Readable) as unknown as ReadableStream<Uint8Array>,
      ),
      { ...agents, person: author(), version: version() },
    );
    signal.addEventListener('abort', () => connection.close(), { once: true });
    await connection.closed;
  } finally {
    await agents.close();
  }
}

/** One agent for all sessions. When the agent of a server replaces it, it is closed after its last turn has ended. */
function shareAgent(
  first: OpenAgent,
  tell: (note: string) => void,
): Pick<AcpPorts, 'use' | 'begin'> & { close(): Promise<void> } {
  interface SharedAgent {
    readonly agent: OpenAgent;
    uses: number;
  }
  let current: SharedAgent = { agent: first, uses: 0 };
  const replaced = new Set<SharedAgent>();
  let handover: Promise<void> = Promise.resolve();

  async function use<Value>(work: (agent: AcpAgent) => Promise<Value>): Promise<Value> {
    const sharedAgent = current;
    sharedAgent.uses += 1;
    try {
      return await work(acpAgent(sharedAgent.agent));
    } finally {
      sharedAgent.uses -= 1;
      await closeUnused();
    }
  }

  async function closeUnused(): Promise<void> {
    const unused = [...replaced].filter(({ uses }) => uses === 0);
    for (const sharedAgent of unused) replaced.delete(sharedAgent);
    for (const { agent } of unused) await agent.close();
  }

  async function switchToServer(): Promise<void> {
    const next = await current.agent.successor();
    if (next === null) return;
    replaced.add(current);
    current = { agent: next, uses: 0 };
    tell('A server has opened the workspace: its agent continues the sessions.');
    await closeUnused();
  }

  return {
    use,
    async begin(work) {
      const done = handover.then(switchToServer);
      handover = done.catch(() => {});
      await done;
      return use(work);
    },
    async close() {
      await handover;
      for (const { agent } of [current, ...replaced]) await agent.close();
    },
  };
}

const acpAgent = ({ client, sessions, world, limits }: OpenAgent): AcpAgent => ({
  ...{ client, sessions, world, limits },
  messages: async (thread) => (await (await import('../agent/turns.ts')).stateOf(sessions, thread)).messages,
});
