import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Page as PageRow } from '../../api/types.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { type Place, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { OriginTag } from './origin-tag.tsx';
import { Page } from './page.tsx';

export function Pages({ place }: { readonly place: Place }): VNode {
  const { workspace } = useSession();
  const [tag, setTag] = useState('');
  const [id, ...parts] = place.parts;
  if (id !== undefined && id !== '') return <Page key={id} name={id} parts={parts} />;
  const query = `view=all${/^#?[\w/-]+$/.test(tag) ? `&tag=${encodeURIComponent(tag)}` : ''}`;
  return (
    <div class="pad">
      <div class="row spread">
        <h1>Pages</h1>
        <label class="row small muted">
          Tag
          <input
            class="short"
            value={tag}
            placeholder="#project"
            onChange={({ currentTarget }) => setTag(currentTarget.value.trim())}
          />
        </label>
      </div>
      <MoreList<PageRow>
        path={`/workspaces/${encodeURIComponent(workspace)}/pages?${query}`}
        what="pages"
        follows
        empty={
          <Empty title="There is no page here">
            <code>sonde world import FOLDER</code> brings a folder of notes in.
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
    </div>
  );
}
