import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageHit } from '../api/types.ts';
import { MoreList } from '../parts/more-list.tsx';
import { goQuietly, type Place, to } from '../parts/route.ts';
import { useSession } from '../parts/session.ts';
import { Empty } from '../parts/states.tsx';
import { plainText } from '../parts/words.ts';

export function Search({ place }: { readonly place: Place }): VNode {
  const { workspace } = useSession();
  const asked = (place.query.get('q') ?? '').trim().slice(0, 1_000);
  const [text, setText] = useState(asked);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => setText(asked), [asked]);
  return (
    <div class="pad">
      <h1>Search</h1>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          goQuietly(`${to('search')}?q=${encodeURIComponent(text)}`);
        }}
      >
        <label class="grow">
          <span class="visually-hidden">What to search for</span>
          <input
            ref={field}
            type="search"
            value={text}
            placeholder="Words, or a question"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main-act">
          Search
        </button>
      </form>
      {asked !== '' && (
        <MoreList<PageHit>
          path={`/workspaces/${encodeURIComponent(workspace)}/search?q=${encodeURIComponent(asked)}`}
          what="what was found"
          empty={<Empty title="No page tells about this">Other words may be in them.</Empty>}
        >
          {(items) => (
            <ul class="lines">
              {items.map(({ page, path, title, snippet, found_in, lifecycle, blocks: [first] }) => (
                <li key={page}>
                  <a href={first === undefined ? to('pages', page) : to('pages', page, first)}>
                    <span class="line-main">
                      {plainText(title)}{' '}
                      <span class="small muted">{path === title ? '' : plainText(path)}</span>
                    </span>
                    <span class="snippet">{plainText(snippet)}</span>
                    <span class="row small muted">
                      <span class="tag">in the {found_in}</span>
                      {lifecycle !== 'Canonical' && <span class="tag new">{lifecycle.toLowerCase()}</span>}
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
