/** A conversation with the agent: said, done, steered, stopped, edited, forked. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Message, Thread as ThreadRow } from '../../api/types.ts';
import { useKeys } from '../../parts/keys.ts';
import { type Citing, Markdown } from '../../parts/markdown.tsx';
import { go, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { amounts, plainText } from '../../parts/words.ts';
import { CallView } from './call-view.tsx';
import { ContextView } from './context-view.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { pairsOf } from './pairs.ts';
import { QuestionForm } from './question.tsx';
import { StateTag } from './threads.tsx';
import { type LiveCall, type Talk, useThread } from './use-thread.ts';

export function Thread({ id }: { readonly id: string }): VNode {
  const talk = useThread(id);
  const { role } = useSession();
  const { thread, trouble, again } = talk;
  if (thread === null)
    return (
      <div class="pad">
        <h1>Conversation</h1>
        {trouble === null ? <Loading what="the conversation" /> : <Failed trouble={trouble} again={again} />}
      </div>
    );
  return <Talking talk={talk} thread={thread} isAuthor={role === 'author'} />;
}

interface TalkingProps {
  readonly talk: Talk;
  readonly thread: ThreadRow;
  readonly isAuthor: boolean;
}

function Talking({ talk, thread, isAuthor }: TalkingProps): VNode {
  const { messages, calls, text, running, again, spent } = talk;
  const path = `/threads/${encodeURIComponent(thread.id)}`;
  const [words, setWords] = useState('');
  const [editing, setEditing] = useState<Message | null>(null);
  const [forking, setForking] = useState(false);
  const [isContext, setContext] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const atWork = running || thread.state === 'running';

  const told = (asked: Promise<unknown>): Promise<boolean> =>
    asked.then(
      () => {
        setTrouble(null);
        again();
        return true;
      },
      (thrown: unknown) => {
        setTrouble(troubleOf(thrown));
        return false;
      },
    );
  const ask = (what: string, body?: unknown): Promise<unknown> => write('POST', `${path}/${what}`, body);
  const act = (what: string, body?: unknown): Promise<boolean> => told(ask(what, body));
  // If the turn has ended meanwhile, the text is sent as a new message.
  const steer = (text: string): Promise<boolean> =>
    told(
      ask('steer', { text }).catch((thrown: unknown) => {
        if (thrown instanceof ApiError && thrown.status === 409) return ask('messages', { text });
        throw thrown;
      }),
    );
  const say = async (): Promise<void> => {
    const said = words.trim();
    if (said === '') return;
    // Names a new conversation after its first message, before the turn locks the thread.
    if (thread.title === '' && messages.length === 0)
      await write('PATCH', path, { title: firstWords(said) }).catch(() => {});
    const done =
      editing !== null
        ? await act('edit', { message: editing.id, text: said })
        : atWork
          ? await steer(said)
          : await act('messages', { text: said });
    if (!done) return;
    setWords('');
    setEditing(null);
  };
  useKeys('Conversation', [
    ...(isAuthor
      ? [
          { key: 'i', does: 'Say something', act: () => field.current?.focus() },
          { key: 's', does: 'Stop the turn', act: () => void act('cancel') },
          { key: 'f', does: 'Fork', act: () => setForking(true) },
          { key: 'm', does: 'Memory and role in use', act: () => setContext((is) => !is) },
        ]
      : []),
  ]);
  const length = messages.length + calls.length + text.length;
  useEffect(() => {
    if (length > 0) end.current?.scrollIntoView({ block: 'end' });
  }, [length]);

  const results = new Map(messages.filter(({ kind }) => kind === 'tool').map((one) => [one.call, one]));
  const { of: heardOf, alone } = useMemo(() => pairsOf(messages, calls), [messages, calls]);
  const rename = (title: string): void => {
    if (title !== thread.title)
      write('PATCH', path, { title }).then(again, (thrown: unknown) => setTrouble(troubleOf(thrown)));
  };
  return (
    <div class="thread">
      <header class="run-head">
        <p class="row small muted">
          <a href={to('threads')}>Conversations</a>
          <StateTag state={atWork ? 'running' : thread.state} />
          {thread.channel !== null && (
            <span>
              memory and role of the channel <strong>{plainText(thread.channel)}</strong>
            </span>
          )}
          <span>{amounts(spent ?? thread.spent)}</span>
          {thread.last_run !== null && <a href={to('runs', thread.last_run)}>what the last turn did</a>}
        </p>
        <div class="row spread">
          {isAuthor ? (
            <h1 class="grow">
              <input
                class="title"
                aria-label="Title"
                value={thread.title}
                placeholder={thread.id}
                maxLength={200}
                onChange={({ currentTarget }) => rename(currentTarget.value.trim())}
              />
            </h1>
          ) : (
            <h1>{plainText(thread.title || thread.id)}</h1>
          )}
          {isAuthor && (
            <span class="row">
              <button type="button" aria-expanded={isContext} onClick={() => setContext(!isContext)}>
                Memory and role <kbd>m</kbd>
              </button>
              <button type="button" onClick={() => setForking(true)}>
                Fork <kbd>f</kbd>
              </button>
            </span>
          )}
        </div>
        {isContext && <ContextView path={path} />}
      </header>
      <div class="talk" tabIndex={0} role="region" aria-label="What was said">
        {messages.length === 0 && !atWork && <Empty title="Nothing was said yet" />}
        {messages.map((message) => (
          <MessageView
            key={message.id}
            message={message}
            results={results}
            heardOf={heardOf}
            edit={
              isAuthor && message.kind === 'user' && !atWork
                ? () => {
                    setEditing(message);
                    setWords(message.text);
                    field.current?.focus();
                  }
                : null
            }
          />
        ))}
        {alone
          .filter(() => atWork)
          .map((heard) => (
            <CallView key={heard.call} name={heard.name} args={null} result={undefined} heard={heard} />
          ))}
        {text !== '' && (
          <div class="said-by agent" aria-live="polite">
            <Markdown text={text} />
          </div>
        )}
        {isAuthor &&
          thread.questions.map((question) => (
            <QuestionForm key={question.id} thread={thread.id} question={question} answered={again} />
          ))}
        <div ref={end} />
      </div>
      {isAuthor && (
        <form
          class="say"
          onSubmit={(event) => {
            event.preventDefault();
            void say();
          }}
        >
          {trouble !== null && <Failed trouble={trouble} />}
          {editing !== null && (
            <p class="row small">
              <span class="tag warn">in other words</span> What came after it is said anew; what was written
              stays.
              <button
                type="button"
                class="quiet small"
                onClick={() => {
                  setEditing(null);
                  setWords('');
                }}
              >
                Leave it
              </button>
            </p>
          )}
          <label class="visually-hidden" for="say">
            {atWork ? 'Steer the turn' : 'Say something'}
          </label>
          <textarea
            id="say"
            ref={field}
            rows={2}
            value={words}
            placeholder={
              atWork
                ? 'Steer it: the agent hears this at its next step'
                : thread.state === 'interrupted'
                  ? 'It waits: answer above, or drop the question to say something else'
                  : 'Ask, or tell it what to do'
            }
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
                event.preventDefault();
                void say();
              }
              if (event.key === 'Escape') field.current?.blur();
            }}
          />
          <p class="row">
            <button type="submit" class="main-act">
              {editing !== null ? 'Say it anew' : atWork ? 'Steer' : 'Send'} <kbd>Enter</kbd>
            </button>
            {atWork && (
              <button type="button" onClick={() => void act('cancel')}>
                Stop <kbd>s</kbd>
              </button>
            )}
            {thread.state === 'unfinished' && !atWork && (
              <>
                <button type="button" onClick={() => void act('continue')}>
                  Go on with the turn
                </button>
                <button type="button" onClick={() => void act('drop')}>
                  Drop it
                </button>
              </>
            )}
            {thread.state === 'interrupted' && (
              <button type="button" onClick={() => void act('drop')}>
                Drop the question
              </button>
            )}
          </p>
        </form>
      )}
      {forking && (
        <ForkDialog thread={thread} close={() => setForking(false)} forked={(id) => go(to('threads', id))} />
      )}
    </div>
  );
}

function MessageView({
  message,
  results,
  heardOf,
  edit,
}: {
  readonly message: Message;
  readonly results: ReadonlyMap<string | null, Message>;
  readonly heardOf: ReadonlyMap<string, LiveCall>;
  readonly edit: (() => void) | null;
}): VNode | null {
  const { kind, text, calls, run } = message;
  if (kind === 'tool') return null;
  if (kind === 'compact')
    return (
      <details class="tool-call">
        <summary>
          <span class="muted">What came before was put together in a summary</span>
        </summary>
        <div class="call-body">
          <Markdown text={text} />
        </div>
      </details>
    );
  if (kind === 'assistant')
    return (
      <>
        {text !== '' && (
          <div class="said-by agent">
            <Markdown text={text} {...(run !== null && { cite: citeIn(run) })} />
          </div>
        )}
        {calls.map(({ id, name, args }) => (
          <CallView key={id} name={name} args={args} result={results.get(id)} heard={heardOf.get(id)} />
        ))}
      </>
    );
  return (
    <div class="said-by person">
      {kind === 'steer' && <span class="tag accent">steered</span>}
      <Markdown text={text} />
      {edit !== null && (
        <button type="button" class="quiet small" onClick={edit}>
          Say it differently
        </button>
      )}
    </div>
  );
}

/** The beginning of the first line, cut at the end of a word. */
const firstWords = (said: string): string => {
  const [line = ''] = said.split('\n');
  return line.length <= 80 ? line : `${line.slice(0, 80).replace(/\s+\S*$/, '')} …`;
};

/** Citations are numbered in order; the view that they link to shows their names. */
function citeIn(run: string): (id: string) => Citing {
  const seen: string[] = [];
  return (id) => {
    if (!seen.includes(id)) seen.push(id);
    return { href: to('runs', run, 'evidence', id), name: `source ${seen.indexOf(id) + 1}` };
  };
}
