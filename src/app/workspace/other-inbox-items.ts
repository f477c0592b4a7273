/** Items of the inbox that are no pages: questions from scheduled conversations, and memories of the account. */
import { plainLine, shortLine } from '../../core/index.ts';
import type { Memory } from '../../memory/index.ts';
import type { Database, Sessions } from '../../store/index.ts';
import type { WaitingQuestion } from '../serve/waiting-questions.ts';

interface HeldMemory {
  readonly kind: 'memory';
  /** The key of the memory. */
  readonly id: string;
  readonly text: string;
  readonly origins: readonly string[];
  readonly writer: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type OtherInboxItem = WaitingQuestion | HeldMemory;

export interface InboxPorts {
  readonly sessions: Pick<Sessions, 'schedules' | 'threads' | 'checkpoints'>;
  memory(): Promise<Pick<Memory, 'listAll'>>;
}

const maxText = 400;

export async function listOtherItems({ sessions, memory }: InboxPorts): Promise<readonly OtherInboxItem[]> {
  const { listWaitingQuestions: waitingQuestions } = await import('../serve/waiting-questions.ts');
  const memoryItems = (await memory()).listAll({ tier: 'account' }).filter((item) => item.held);
  return [
    ...(await waitingQuestions(sessions)),
    ...memoryItems.map(
      ({ key, text, origins, writer, updated }): HeldMemory => ({
        ...{ kind: 'memory', id: key, text, origins, writer, at: updated },
      }),
    ),
  ];
}

/** For a workspace whose pages a command has opened; `sessions` are its conversations. */
export async function readOtherItems(open: {
  readonly database: Database;
  readonly world: { readonly workspace: { readonly id: string } };
  readonly sessions: InboxPorts['sessions'];
}): Promise<readonly OtherInboxItem[]> {
  const { openHostMemory } = await import('../host/host-memory.ts');
  const { memory, close } = await openHostMemory(open);
  try {
    return await listOtherItems({ sessions: open.sessions, memory: async () => memory });
  } finally {
    close();
  }
}

export function formatOtherItem(item: OtherInboxItem): string {
  if (item.kind === 'question')
    return [
      `question  ${item.thread}  of the schedule ${item.schedule}, ${new Date(item.at).toISOString()}`,
      `  ${plainLine(item.note)}`,
      `  sonde chat --thread ${item.thread}   and answer`,
    ].join('\n');
  const key = JSON.stringify(plainLine(item.id));
  return [
    `memory  ${plainLine(item.id)}  by ${plainLine(item.writer)}, stored after reading ${shortLine(plainLine(item.origins.join(', ')), maxText)}`,
    `  ${shortLine(plainLine(item.text), maxText)}`,
    `  sonde memory accept ${key}   or   sonde memory reject ${key}`,
  ].join('\n');
}
