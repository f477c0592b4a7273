/** Questions of turns that schedules started: nobody sat there when they were asked. */
import type { Sessions } from '../../store/index.ts';
import { questionText } from '../chat/screen.ts';

export interface WaitingQuestion {
  readonly kind: 'question';
  /** Of the question: an answer names it. */
  readonly id: string;
  readonly thread: string;
  readonly schedule: string;
  /** When the turn was due. Milliseconds since the epoch. */
  readonly at: number;
  readonly note: string;
}

/** Fires of a schedule that are looked through, the newest first. */
const maxFires = 200;

/** The newest first. */
export async function waitingQuestions({
  schedules,
  threads,
  checkpoints,
}: Pick<Sessions, 'schedules' | 'threads' | 'checkpoints'>): Promise<readonly WaitingQuestion[]> {
  const all = await Promise.all((await schedules.list()).map(({ id }) => schedules.fires(id, maxFires)));
  const asked = all.flat().filter(({ outcome }) => outcome?.status === 'interrupted');
  const latest = new Map(asked.toReversed().map((fire) => [fire.outcome!.thread, fire]));
  const known = await Promise.all([...latest.keys()].map((thread) => threads.has(thread)));
  const there = [...latest].filter((_, at) => known[at]);
  // The graph is loaded only where something may wait.
  if (there.length === 0) return [];
  const { readThread } = await import('../../session/index.ts');
  const found = await Promise.all(
    there.map(async ([thread, { schedule, due }]) => {
      const { questions } = await readThread(thread, checkpoints);
      return questions.map(
        ({ id, value }): WaitingQuestion => ({
          ...{ kind: 'question', id, thread, schedule, at: due },
          note: questionText(value),
        }),
      );
    }),
  );
  return found.flat().toSorted((one, other) => other.at - one.at);
}
