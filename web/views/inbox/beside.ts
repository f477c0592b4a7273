/** Items of the inbox that are not about pages: questions of the agent, and memories that it wants to store. */
import type { InboxMemory, InboxQuestion, ThreadSummary } from '../../api/types.ts';

export type Beside =
  | {
      readonly kind: 'question';
      readonly id: string;
      readonly thread: string;
      readonly title: string;
      /** The schedule whose turn asks; null: a conversation that somebody began. */
      readonly schedule: string | null;
      /** The question, if the inbox knows it without loading the conversation. */
      readonly note: string | null;
    }
  | { readonly kind: 'memory'; readonly id: string; readonly memory: InboxMemory };

/** Lists each conversation with a question once, whether a schedule or a person began it. */
export function asksOf(
  questions: readonly InboxQuestion[],
  threads: readonly ThreadSummary[],
): readonly Beside[] {
  const titles = new Map(threads.map(({ id, title }) => [id, title]));
  const scheduled = new Map(questions.map((one) => [one.thread, one]));
  const asking = threads.filter((one) => one.questions > 0).map(({ id }) => id);
  return [...new Set([...asking, ...scheduled.keys()])].map((thread) => ({
    ...{ kind: 'question', id: `question:${thread}`, thread },
    title: titles.get(thread) || thread,
    schedule: scheduled.get(thread)?.schedule ?? null,
    note: scheduled.get(thread)?.note ?? null,
  }));
}

export const heldOf = (memory: readonly InboxMemory[]): readonly Beside[] =>
  memory.map((one) => ({ kind: 'memory', id: `memory:${one.id}`, memory: one }));
