import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Trouble, troubleOf, write } from '../../api/client.ts';
import type { Thread as ThreadRow, ThreadState, ThreadSummary } from '../../api/types.ts';
import { useKeys } from '../../parts/keys.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { go, type Place, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed } from '../../parts/states.tsx';
import { amounts, exact, plainText, since } from '../../parts/words.ts';
import { Thread } from './thread.tsx';

const states: Readonly<Record<ThreadState, readonly [name: string, tone: string]>> = {
  unknown: ['not begun', ''],
  idle: ['at rest', ''],
  running: ['at work', 'accent'],
  unfinished: ['unfinished', 'warn'],
  interrupted: ['waits for your answer', 'warn'],
};

export const StateTag = ({ state }: { readonly state: ThreadState }): VNode => (
  <span class={`tag ${states[state][1]}`}>{states[state][0]}</span>
);

export function Threads({ place }: { readonly place: Place }): VNode {
  const { role } = useSession();
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [id] = place.parts;
  const isList = id === undefined || id === '';
  const begin = (): void =>
    void write<ThreadRow>('POST', '/threads', {}).then(
      (made) => go(to('threads', made.id)),
      (thrown: unknown) => setTrouble(troubleOf(thrown)),
    );
  useKeys(
    'Conversations',
    isList && role === 'author' ? [{ key: 'n', does: 'Begin a conversation', act: begin }] : [],
  );
  if (!isList) return <Thread key={id} id={id} />;
  return (
    <div class="pad">
      <div class="row spread">
        <h1>Conversations</h1>
        {role === 'author' && (
          <button type="button" class="main-act" onClick={begin}>
            New <kbd>n</kbd>
          </button>
        )}
      </div>
      {trouble !== null && <Failed trouble={trouble} />}
      <MoreList<ThreadSummary>
        path="/threads"
        what="conversations"
        follows
        empty={
          <Empty title="Nobody has talked yet">Begin a conversation with the agent of this workspace.</Empty>
        }
      >
        {(items) => (
          <ul class="lines">
            {items.map(({ id: thread, title, channel, state, updated, spent, runs }) => (
              <li key={thread}>
                <a href={to('threads', thread)}>
                  <span class="line-main">{plainText(title || thread)}</span>
                  <span class="row small muted">
                    <StateTag state={state} />
                    {channel !== null && <span class="tag">{plainText(channel)}</span>}
                    {runs > 0 && <span>{amounts(spent)}</span>}
                    <time title={exact(updated)}>{since(updated)}</time>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </MoreList>
    </div>
  );
}
