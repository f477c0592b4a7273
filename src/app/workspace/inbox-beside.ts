/** What waits for the author beside content of pages: questions from scheduled conversations, and memory of the account. */
import { plainLine, shortLine } from '../../core/index.ts';
import type { Memory } from '../../memory/index.ts';
import type { Database, Sessions } from '../../store/index.ts';
import type { WaitingQuestion } from '../serve/waiting-questions.ts';

interface HeldMemory {
  readonly kind: 'memory';
  /** The key. */
  readonly id: string;
  readonly text: string;
  readonly origins: readonly string[];
  readonly writer: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type Beside = WaitingQuestion | HeldMemory;

export interface BesidePorts {
  readonly sessions: Pick<Sessions, 'schedules' | 'threads' | 'checkpoints'>;
  memory(): Promise<Pick<Memory, 'everything'>>;
}

const maxText = 400;

export async function waitingBeside({ sessions, memory }: BesidePorts): Promise<readonly Beside[]> {
  const { waitingQuestions } = await import('../serve/waiting-questions.ts');
  const held = (await memory()).everything({ tier: 'account' }).filter((item) => item.held);
  return [
    ...(await waitingQuestions(sessions)),
    ...held.map(
      ({ key, text, origins, writer, updated }): HeldMemory => ({
        ...{ kind: 'memory', id: key, text, origins, writer, at: updated },
      }),
    ),
  ];
}

/** Of a workspace that was opened for a command. */
export async function besidePages(open: {
  readonly database: Database;
  readonly world: { readonly workspace: { readonly id: string } };
}): Promise<readonly Beside[]> {
  const [{ openSessionsIn }, { openHostMemory }] = await Promise.all([
    import('../../store/index.ts'),
    import('../host-memory.ts'),
  ]);
  const sessions = openSessionsIn(open.database);
  const { memory, close } = await openHostMemory(open);
  try {
    return await waitingBeside({ sessions, memory: async () => memory });
  } finally {
    close();
    await sessions.close();
  }
}

export function besideText(item: Beside): string {
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
