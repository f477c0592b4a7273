/** Open questions of turns that schedules started, with nobody present to answer. */
import type { Sessions } from '../../store/index.ts';
import { questionText } from '../chat/screen.ts';
import { findFireThread } from './fire-thread.ts';

export interface WaitingQuestion {
  readonly kind: 'question';
  /** The id of the question, which an answer must name. */
  readonly id: string;
  readonly thread: string;
  readonly schedule: string;
  /** When the turn was due. Milliseconds since the epoch. */
  readonly at: number;
  readonly note: string;
}

/** Maximum fires of a schedule that are searched, newest first. */
const maxFires = 2_000;

/** Newest first. */
export async function listWaitingQuestions({
  schedules,
  threads,
  checkpoints,
}: Pick<Sessions, 'schedules' | 'threads' | 'checkpoints'>): Promise<readonly WaitingQuestion[]> {
  const all = await Promise.all(
    (await schedules.list()).map(async (schedule) =>
      (await schedules.fires(schedule.id, maxFires))
        // The state of a fire stays `waiting` until the end of its turn is recorded.
        .filter(({ state, outcome }) => state === 'waiting' || outcome?.status === 'interrupted')
        .map((fire) => ({ ...fire, thread: fire.outcome?.thread ?? findFireThread({ fire, schedule }) })),
    ),
  );
  const fires = all.flat().toSorted((first, other) => first.due - other.due);
  const latest = new Map(fires.map((fire) => [fire.thread, fire]));
  const exists = await Promise.all([...latest.keys()].map((thread) => threads.has(thread)));
  const existing = [...latest].filter((_, index) => exists[index]);
  // The graph of conversations is loaded only if there may be a question.
  if (existing.length === 0) return [];
  const { readThread } = await import('../../session/index.ts');
  const questions = await Promise.all(
    existing.map(async ([thread, { schedule, due }]) => {
      const { questions } = await readThread(thread, checkpoints);
      return questions.map(
        ({ id, value }): WaitingQuestion => ({
          ...{ kind: 'question', id, thread, schedule, at: due },
          note: questionText(value),
        }),
      );
    }),
  );
  return questions.flat().toSorted((waitingQuestion, other) => other.at - waitingQuestion.at);
}
