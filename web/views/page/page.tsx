/** A page: its blocks with their origin, its backlinks, its sources and its history. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageText } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { useWorldChange } from '../../api/world-events.ts';
import { useKeys } from '../../parts/keys.ts';
import { goQuietly, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Failed, Loading } from '../../parts/states.tsx';
import { exact, plainText, since } from '../../parts/words.ts';
import { Blocks } from './blocks.tsx';
import { Deleted } from './deleted.tsx';
import { EditorPane } from './editor-pane.tsx';
import { HeldItem } from './held-item.tsx';
import { History } from './history.tsx';
import { Links } from './links.tsx';
import { OriginTag } from './origin-tag.tsx';
import { DeletePage, MovePage } from './page-acts.tsx';
import { ProvenanceView } from './provenance-view.tsx';
import { useHeld, useTies } from './use-held.ts';

const tabs = [
  ['text', 'Text', '1'],
  ['links', 'Links', '2'],
  ['provenance', 'Provenance', '3'],
  ['history', 'History', '4'],
] as const;
type Tab = (typeof tabs)[number][0];

export function Page({
  name,
  parts: [given, chosen],
}: {
  readonly name: string;
  readonly parts: readonly string[];
}): VNode {
  const { workspace, role } = useSession();
  const home = `/workspaces/${encodeURIComponent(workspace)}`;
  const base = `${home}/pages/${encodeURIComponent(name)}`;
  const reading = useRead<PageText>(`${base}?view=all`);
  const [editing, setEditing] = useState(false);
  const [asked, setAsked] = useState<'move' | 'delete' | null>(null);
  const isAuthor = role === 'author';
  const isThere = reading.state === 'ready';
  const [changes, setChanges] = useState(0);
  const { held, again: readHeld } = useHeld(home, name);
  const { ties, again: readTies } = useTies(base);
  const changed = (): void => {
    reading.again();
    readHeld();
    readTies();
    setChanges((n) => n + 1);
  };
  useWorldChange(changed);
  const isBlock = given?.startsWith('bl-') === true;
  const tab: Tab = tabs.find(([one]) => one === given)?.[0] ?? 'text';
  useKeys('Page', [
    ...tabs.map(([one, title, key]) => ({
      key,
      does: title,
      act: () => goQuietly(to('pages', name, one)),
    })),
    ...(isAuthor && isThere
      ? [
          { key: 'e', does: 'Edit', act: () => setEditing(true) },
          { key: 'm', does: 'Rename or move', act: () => setAsked('move') },
          { key: 'd', does: 'Delete', act: () => setAsked('delete') },
        ]
      : []),
  ]);
  if (reading.state === 'loading')
    return (
      <div class="pad">
        <h1>{name.startsWith('pg-') ? 'Page' : plainText(name)}</h1>
        <Loading what="the page" />
      </div>
    );
  const { details } = reading.state === 'failed' ? reading.trouble : {};
  if (typeof details?.['page'] === 'string' && details['deleted'] === true)
    return (
      <Deleted
        {...{ home, isAuthor }}
        id={details['page']}
        title={String(details['title'] ?? name)}
        path={String(details['path'] ?? name)}
        restored={changed}
      />
    );
  if (reading.state === 'failed')
    return (
      <div class="pad">
        <h1>{name.startsWith('pg-') ? 'Page' : plainText(name)}</h1>
        <Failed trouble={reading.trouble} again={reading.again} />
        <p>
          <a href={`${to('search')}?q=${encodeURIComponent(name)}`}>Search for it</a>
        </p>
      </div>
    );
  const page = reading.value;
  const waits = [...held.values()].reduce((sum, { length }) => sum + length, 0);
  const ofPage = held.get(page.id) ?? [];
  return (
    <div class="run page">
      <header class="run-head">
        <p class="row small muted">
          <a href={to('pages')}>Pages</a>
          <span class="path-line">{plainText(page.path)}</span>
          <OriginTag origin={page.origin} lifecycle={page.lifecycle} />
          <time title={exact(page.updated)}>{since(page.updated)}</time>
          {page.tags.map((tag) => (
            <span class="tag">#{plainText(tag)}</span>
          ))}
        </p>
        <div class="row spread">
          <h1>{plainText(page.title)}</h1>
          {isAuthor && !editing && (
            <span class="row">
              {tab === 'text' && (
                <button type="button" onClick={() => setEditing(true)}>
                  Edit <kbd>e</kbd>
                </button>
              )}
              <button type="button" onClick={() => setAsked('move')}>
                Move <kbd>m</kbd>
              </button>
              <button type="button" onClick={() => setAsked('delete')}>
                Delete <kbd>d</kbd>
              </button>
            </span>
          )}
        </div>
        {waits > 0 && (
          <p class="small">
            <span class="tag warn">{waits} to decide</span>{' '}
            <span class="muted">{waits === 1 ? 'It stands' : 'Each stands'} at its place in the text.</span>
          </p>
        )}
        {!editing && (
          <nav class="tabs" aria-label="Parts of the page">
            {tabs.map(([one, title]) => (
              <a href={to('pages', name, one)} aria-current={one === tab ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
        )}
      </header>
      {editing ? (
        <EditorPane base={base} page={page} close={() => setEditing(false)} saved={reading.again} />
      ) : tab === 'text' ? (
        <>
          {ofPage.length > 0 && (
            <div class="of-page">
              {ofPage.map((item) => (
                <HeldItem
                  key={item.id}
                  {...{ home, item }}
                  decided={changed}
                  isShown={item.kind === 'candidate' && item.before === null}
                />
              ))}
            </div>
          )}
          <Blocks
            {...{ home, name, base, changes, held, ties }}
            chosen={isBlock ? given : (chosen ?? null)}
            decided={changed}
          />
        </>
      ) : (
        <div class="pad">
          {tab === 'links' && <Links base={base} />}
          {tab === 'provenance' && (
            <ProvenanceView {...{ home, name, base, held, changes }} decided={changed} />
          )}
          {tab === 'history' && <History base={base} mayRestore={isAuthor} />}
        </div>
      )}
      {asked === 'move' && (
        <MovePage
          {...{ home, page }}
          close={() => setAsked(null)}
          done={() => {
            setAsked(null);
            changed();
            // A page that was named by its path has another one now.
            goQuietly(to('pages', page.id));
          }}
        />
      )}
      {asked === 'delete' && (
        <DeletePage
          {...{ home, page }}
          close={() => setAsked(null)}
          done={() => {
            setAsked(null);
            changed();
          }}
        />
      )}
    </div>
  );
}
