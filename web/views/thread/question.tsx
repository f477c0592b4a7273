import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Question } from '../../api/types.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { Failed } from '../../parts/states.tsx';

/** The question as text, whatever form the agent gave it. */
export const textOf = (value: unknown): string => {
  const { question } = (value ?? {}) as { readonly question?: unknown };
  return typeof question === 'string' ? question : typeof value === 'string' ? value : JSON.stringify(value);
};

/** A question of the agent with a form for the answer, which continues the turn. */
export function QuestionForm({
  thread,
  question,
  answered,
}: {
  readonly thread: string;
  readonly question: Question;
  readonly answered: () => void;
}): VNode {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '' || busy) return;
        setBusy(true);
        write('POST', `/threads/${encodeURIComponent(thread)}/answers`, {
          question: question.id,
          value: text.trim(),
        })
          .then(answered, (thrown: unknown) => setTrouble(troubleOf(thrown)))
          .finally(() => setBusy(false));
      }}
    >
      <span class="tag warn">The agent asks</span>
      <Markdown text={textOf(question.value)} />
      <p class="row">
        <label class="grow">
          <span class="visually-hidden">Your answer</span>
          <input
            value={text}
            placeholder="Your answer"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main-act" disabled={busy}>
          Answer
        </button>
      </p>
      {trouble !== null && <Failed trouble={trouble} />}
    </form>
  );
}
