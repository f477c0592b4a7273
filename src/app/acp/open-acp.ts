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
  // Standard output is the protocol's alone.
  const tell = (note: string): void => void stderr.write(`note: ${plainLine(note)}\n`);
  for (const note of first.notes) tell(note);
  const agents = agentInUse(first, tell);
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

/** The one agent of all sessions. Where a server's agent takes its place, it is closed when its last turn has ended. */
function agentInUse(
  first: OpenAgent,
  tell: (note: string) => void,
): Pick<AcpPorts, 'use' | 'begin'> & { close(): Promise<void> } {
  interface SharedAgent {
    readonly agent: OpenAgent;
    uses: number;
  }
  let now: SharedAgent = { agent: first, uses: 0 };
  const before = new Set<SharedAgent>();
  let handing: Promise<void> = Promise.resolve();

  async function use<Value>(work: (agent: AcpAgent) => Promise<Value>): Promise<Value> {
    const sharedAgent = now;
    sharedAgent.uses += 1;
    try {
      return await work(acpAgent(sharedAgent.agent));
    } finally {
      sharedAgent.uses -= 1;
      await closeUnused();
    }
  }

  async function closeUnused(): Promise<void> {
    const unused = [...before].filter(({ uses }) => uses === 0);
    for (const sharedAgent of unused) before.delete(sharedAgent);
    for (const { agent } of unused) await agent.close();
  }

  async function handOver(): Promise<void> {
    const next = await now.agent.successor();
    if (next === null) return;
    before.add(now);
    now = { agent: next, uses: 0 };
    tell('A server has the workspace now: its agent goes on with the sessions.');
    await closeUnused();
  }

  return {
    use,
    async begin(work) {
      const handed = handing.then(handOver);
      handing = handed.catch(() => {});
      await handed;
      return use(work);
    },
    async close() {
      await handing;
      for (const { agent } of [now, ...before]) await agent.close();
    },
  };
}

const acpAgent = ({ client, sessions, world, limits }: OpenAgent): AcpAgent => ({
  ...{ client, sessions, world, limits },
  messages: async (thread) => (await (await import('../agent/turns.ts')).stateOf(sessions, thread)).messages,
});
