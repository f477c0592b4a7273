/** `sonde acp`: the agent of a workspace for one editor, on standard input and output. */
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { plainLine } from '../../core/index.ts';
import { openAgent } from '../agent/in-process.ts';
import type { SettingKey } from '../config/index.ts';
import { currentProcess } from '../current-process.ts';
import { version } from '../version.ts';
import { author } from '../workspace/workspace.ts';
import { connectAcp } from './acp-agent.ts';

export interface AcpRequest {
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** A folder of code that the agent may read. */
  readonly root?: string;
  readonly signal: AbortSignal;
}

/** Ends when its input ends. A turn that was running can be resumed. */
export async function openAcp({ settings, root, signal }: AcpRequest): Promise<void> {
  const agent = await openAgent({ settings, signal, ...(root !== undefined && { root }) });
  const { stdin, stdout, stderr } = currentProcess();
  // Standard output is the protocol's alone.
  for (const note of agent.notes) stderr.write(`note: ${plainLine(note)}\n`);
  try {
    const { client, sessions, world } = agent;
    const connection = connectAcp(
      ndJsonStream(
        Writable.toWeb(stdout as Writable) as WritableStream<Uint8Array>,
        Readable.toWeb(stdin as Readable) as unknown as ReadableStream<Uint8Array>,
      ),
      {
        client,
        sessions,
        messages: async (thread) =>
          (await import('../agent/turns.ts')).stateOf(sessions, thread).then((one) => one.messages),
        world,
        person: author(),
        version: version(),
      },
    );
    signal.addEventListener('abort', () => connection.close(), { once: true });
    await connection.closed;
  } finally {
    await agent.close();
  }
}
