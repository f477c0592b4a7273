import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Question } from '../../api/types.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { Failed } from '../../parts/states.tsx';

/** As text, whatever form it was asked in. */
export const textOf = (value: unknown): string => {
  const { question } = (value ?? {}) as { readonly question?: unknown };
  return typeof question === 'string' ? question : typeof value === 'string' ? value : JSON.stringify(value);
};

/** What the agent asks, and the author's answer; the turn goes on with it. */
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
