/** A question of the agent, answered where it waits. */
import type { VNode } from 'preact';
import type { Thread } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { to } from '../../parts/route.ts';
import { Empty, Shown } from '../../parts/states.tsx';
import { plainText } from '../../parts/words.ts';
import { QuestionForm, textOf } from '../thread/question.tsx';
import type { Beside } from './beside.ts';

export function Asking({
  of: { thread, title, schedule },
  position,
  mayDecide,
  answered,
}: {
  readonly of: Extract<Beside, { kind: 'question' }>;
  readonly position: string;
  readonly mayDecide: boolean;
  readonly answered: () => void;
}): VNode {
  const reading = useRead<Thread>(`/threads/${encodeURIComponent(thread)}`);
  return (
    <article class="item" aria-label={`Question in ${plainText(title)}`}>
      <header class="item-head">
        <div class="row spread">
          <p class="path">
            <span class="tag warn">Question</span> <a href={to('threads', thread)}>{plainText(title)}</a>
          </p>
          <span class="row small muted">{position}</span>
        </div>
        {schedule !== null && (
          <p class="muted small">A turn of the schedule {plainText(schedule)}: nobody sat there.</p>
        )}
      </header>
      <Shown of={reading} what="the question">
        {({ questions, last }) => (
          <>
            {last !== null && (
              <section>
                <h2>{last.by === 'person' ? 'Said before' : 'The agent said'}</h2>
                <Markdown text={last.text} />
              </section>
            )}
            {questions.length === 0 && <Empty title="It was answered meanwhile" />}
            {questions.map((question) =>
              mayDecide ? (
                <QuestionForm key={question.id} {...{ thread, question, answered }} />
              ) : (
                <Markdown key={question.id} text={textOf(question.value)} />
              ),
            )}
          </>
        )}
      </Shown>
    </article>
  );
}
