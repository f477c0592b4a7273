/** The memories and the role that a turn of this conversation uses. */
import type { VNode } from 'preact';
import type { ThreadContext } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { to } from '../../parts/route.ts';
import { Shown } from '../../parts/states.tsx';
import { plainText } from '../../parts/words.ts';

const levels: Readonly<Record<ThreadContext['roles'][number]['level'], string>> = {
  ...{ call: 'of the request', thread: 'of this conversation', channel: 'of the channel' },
  ...{ workspace: 'of the workspace', account: 'of all your workspaces' },
};

const tiers: Readonly<Record<ThreadContext['memory'][number]['tier'], string>> = {
  ...{ conversation: 'This conversation', channel: 'The channel' },
  ...{ workspace: 'The workspace', account: 'All your workspaces' },
};

export function ContextView({ path }: { readonly path: string }): VNode {
  const reading = useRead<ThreadContext>(`${path}/context`);
  return (
    <section class="context" aria-label="Memory and role in use">
      <Shown of={reading} what="memory and role">
        {({ roles, memory }) => (
          <>
            <h2>Role</h2>
            {roles.length === 0 && (
              <p class="muted">
                None applies. <code>sonde role set</code> gives one.
              </p>
            )}
            {roles.map(({ level, text }) => (
              <p key={level}>
                <span class="tag">{levels[level]}</span> {plainText(text)}
              </p>
            ))}
            <h2>Memory</h2>
            {memory.every(({ items }) => items.length === 0) && (
              <p class="muted">Nothing is remembered that it can look up.</p>
            )}
            {memory
              .filter(({ items }) => items.length > 0)
              .map(({ tier, items, more }) => (
                <section key={tier}>
                  <h3 class="muted">{tiers[tier]}</h3>
                  <ul class="plain">
                    {items.map(({ id, key, text }) => (
                      <li key={id}>
                        <code>{plainText(key)}</code> {plainText(text)}
                      </li>
                    ))}
                  </ul>
                  {more && <p class="small muted">There is more.</p>}
                </section>
              ))}
            <p class="small">
              <a href={to('memory')}>Change what is remembered</a>
            </p>
          </>
        )}
      </Shown>
    </section>
  );
}
