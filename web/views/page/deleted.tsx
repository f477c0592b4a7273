/** Pages that were deleted: each can be there again. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { write } from '../../api/client.ts';
import type { Page, Saved } from '../../api/types.ts';
import { useKeys } from '../../parts/keys.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { go, to } from '../../parts/route.ts';
import { Empty, Failed } from '../../parts/states.tsx';
import { useAct } from '../../parts/use-act.ts';
import { exact, plainText, since } from '../../parts/words.ts';

const restore = (home: string, id: string): Promise<Saved> =>
  write<Saved>('POST', `${home}/pages/${encodeURIComponent(id)}/restore`, {});

export function DeletedPages({
  home,
  isAuthor,
}: {
  readonly home: string;
  readonly isAuthor: boolean;
}): VNode {
  const act = useAct();
  const putBack = async (id: string): Promise<void> => {
    if ((await act.run(() => restore(home, id))) !== null) go(to('pages', id));
  };
  return (
    <>
      {act.trouble !== null && <Failed trouble={act.trouble} />}
      <MoreList<Page>
        path={`${home}/pages?deleted=true`}
        what="deleted pages"
        follows
        empty={<Empty title="No page was deleted" />}
      >
        {(items) => (
          <ul class="lines">
            {items.map(({ id, path, updated }) => (
              <li key={id} class="flat">
                <span class="row spread">
                  <span class="line-main">{plainText(path)}</span>
                  {isAuthor && (
                    <button
                      type="button"
                      aria-label={`Restore ${plainText(path)}`}
                      disabled={act.busy}
                      onClick={() => void putBack(id)}
                    >
                      Restore
                    </button>
                  )}
                </span>
                <time class="small muted" title={exact(updated)}>
                  deleted {since(updated)}
                </time>
              </li>
            ))}
          </ul>
        )}
      </MoreList>
    </>
  );
}

/** In place of a page that was deleted, here or by anybody. */
export function Deleted({
  home,
  id,
  title,
  path,
  isAuthor,
  restored,
}: {
  readonly home: string;
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly isAuthor: boolean;
  readonly restored: () => void;
}): VNode {
  const act = useAct();
  const [isBack, setBack] = useState(false);
  const putBack = async (): Promise<void> => {
    if (isBack || (await act.run(() => restore(home, id))) === null) return;
    setBack(true);
    restored();
  };
  useKeys('Deleted page', isAuthor ? [{ key: 'u', does: 'Restore it', act: () => void putBack() }] : []);
  return (
    <div class="pad">
      <p class="row small muted">
        <a href={to('pages')}>Pages</a>
        <span class="path-line">{plainText(path)}</span>
        <span class="tag bad">deleted</span>
      </p>
      <h1>{plainText(title)}</h1>
      <p role="status">This page was deleted. Its text and its history are kept.</p>
      {act.trouble !== null && <Failed trouble={act.trouble} />}
      {isAuthor && (
        <p>
          <button type="button" class="main-act" disabled={act.busy} onClick={() => void putBack()}>
            Restore it <kbd>u</kbd>
          </button>
        </p>
      )}
    </div>
  );
}
