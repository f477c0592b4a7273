import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Page as PageRow } from '../../api/types.ts';
import { useKeys } from '../../parts/keys.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { type Place, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { DeletedPages } from './deleted.tsx';
import { NewPage } from './new-page.tsx';
import { OriginTag } from './origin-tag.tsx';
import { Page } from './page.tsx';

export function Pages({ place }: { readonly place: Place }): VNode {
  const { workspace, role } = useSession();
  const [tag, setTag] = useState('');
  const [beginning, setBeginning] = useState(false);
  const [id, ...parts] = place.parts;
  const isList = id === undefined || id === '';
  const isAuthor = role === 'author';
  useKeys(
    'Pages',
    isList && isAuthor ? [{ key: 'n', does: 'Begin a page', act: () => setBeginning(true) }] : [],
  );
  if (!isList) return <Page key={id} name={id} parts={parts} />;
  const home = `/workspaces/${encodeURIComponent(workspace)}`;
  const isDeleted = place.query.has('deleted');
  const query = `view=all${/^#?[\w/-]+$/.test(tag) ? `&tag=${encodeURIComponent(tag)}` : ''}`;
  return (
    <div class="pad">
      <div class="row spread">
        <h1>{isDeleted ? 'Deleted pages' : 'Pages'}</h1>
        <span class="row">
          {!isDeleted && (
            <label class="row small muted">
              Tag
              <input
                class="short"
                value={tag}
                placeholder="#project"
                onChange={({ currentTarget }) => setTag(currentTarget.value.trim())}
              />
            </label>
          )}
          <a class="small" href={isDeleted ? to('pages') : `${to('pages')}?deleted`}>
            {isDeleted ? 'Those that are there' : 'Deleted ones'}
          </a>
          {isAuthor && (
            <button type="button" class="main-act" onClick={() => setBeginning(true)}>
              New <kbd>n</kbd>
            </button>
          )}
        </span>
      </div>
      {beginning && <NewPage home={home} close={() => setBeginning(false)} />}
      {isDeleted ? (
        <DeletedPages {...{ home, isAuthor }} />
      ) : (
        <MoreList<PageRow>
          path={`${home}/pages?${query}`}
          what="pages"
          follows
          empty={
            <Empty title="There is no page here">
              <code>sonde world import FOLDER</code> brings a folder of notes in.
              {isAuthor && (
                <>
                  {' '}
                  Or begin one: <kbd>n</kbd>
                </>
              )}
            </Empty>
          }
        >
          {(items) => (
            <ul class="lines">
              {items.map(({ id: page, path, title, origin, lifecycle, updated }) => (
                <li key={page}>
                  <a href={to('pages', page)}>
                    <span class="line-main">
                      {plainText(title)}{' '}
                      <span class="muted small">{path === title ? '' : plainText(path)}</span>
                    </span>
                    <span class="row small muted">
                      <OriginTag origin={origin} lifecycle={lifecycle} />
                      <time title={exact(updated)}>{since(updated)}</time>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </MoreList>
      )}
    </div>
  );
}
