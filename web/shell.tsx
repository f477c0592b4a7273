/** The frame around every view: where one can go, whether the server is there, help over the keys. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { write } from './api/client.ts';
import type { Session } from './api/types.ts';
import { useLive } from './api/world-events.ts';
import { Dialog } from './parts/dialog.tsx';
import { allKeys, areKeysOn, setKeysOn, useKeys } from './parts/keys.ts';
import { go, to, usePlace } from './parts/route.ts';
import { SessionContext } from './parts/session.ts';
import { chooseTheme, type Theme, theme, themes } from './parts/theme.ts';
import { loadViews, type ViewEntry, viewOf, views } from './views/views.tsx';

/** The first view comes first. Milliseconds. */
const loadAfterMs = 2_000;

export function Shell({ session }: { readonly session: Session }): VNode {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  /** On a narrow screen the views stand behind a button. */
  const [isMenu, setMenu] = useState(false);
  useEffect(() => setMenu(false), [place]);
  const view = viewOf(place.view);
  const main = useRef<HTMLElement>(null);
  const shown = views.filter(({ may }) => may === undefined || may.includes(session.role));
  useKeys('Everywhere', [
    ...shown.map(({ name, key, title }) => ({
      key: `g ${key}`,
      does: `Go to ${title}`,
      act: () => go(to(name)),
    })),
    { key: '/', does: 'Search', act: () => go(to('search')) },
    { key: '?', does: 'This help', act: () => setHelp(true) },
  ]);
  useEffect(() => void setTimeout(loadViews, loadAfterMs), []);
  useEffect(() => {
    document.title = `${view?.title ?? 'Not found'} · ${session.workspace} · Sonde`;
  }, [view, session.workspace]);

  return (
    <SessionContext.Provider value={session}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <div class="shell">
        <nav
          class="side"
          aria-label="Views"
          onKeyDown={({ key }) => {
            if (key === 'Escape') setMenu(false);
          }}
        >
          <a class="brand" href={to('inbox')}>
            <Mark /> Sonde
          </a>
          <p class="workspace" title="The workspace">
            {session.workspace}
          </p>
          <button
            type="button"
            class="menu-button"
            aria-expanded={isMenu}
            aria-controls="views"
            onClick={() => setMenu(!isMenu)}
          >
            <span aria-hidden="true">☰</span> {view?.title ?? 'Views'}
          </button>
          <ul id="views" class={isMenu ? 'is-open' : ''}>
            {shown.map((each) => (
              <NavItem entry={each} isHere={each === view} />
            ))}
          </ul>
          <div class="side-foot">
            <Liveness />
            <button type="button" class="quiet small" onClick={() => setHelp(true)}>
              Help <kbd>?</kbd>
            </button>
          </div>
        </nav>
        <main id="main" ref={main} tabIndex={-1}>
          {view === undefined ? (
            <div class="pad">
              <h1>There is no such view</h1>
              <p>
                <a href={to('inbox')}>Go to the inbox</a>
              </p>
            </div>
          ) : (
            <view.Show key={view.name} place={place} />
          )}
        </main>
      </div>
      {help && <Help close={() => setHelp(false)} />}
    </SessionContext.Provider>
  );
}

const Mark = (): VNode => (
  <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" class="mark-ground" />
    <path d="M16 5v13M8.5 10.5h15" class="mark-line" />
    <circle cx="16" cy="22.5" r="4" class="mark-line" />
  </svg>
);

const NavItem = ({ entry, isHere }: { readonly entry: ViewEntry; readonly isHere: boolean }): VNode => (
  <li>
    <a href={to(entry.name)} aria-current={isHere ? 'page' : undefined}>
      <svg width="18" height="18" viewBox="0 0 24 24" aria-hidden="true" class="icon">
        <path d={entry.icon} />
      </svg>
      <span>{entry.title}</span>
    </a>
  </li>
);

function Liveness(): VNode {
  const [live, setLive] = useState<boolean | null>(null);
  useLive(setLive);
  return (
    <p class={`liveness ${live === false ? 'is-off' : ''}`} role="status">
      {live === false ? 'No server: trying again' : live === true ? 'Live' : ''}
    </p>
  );
}

function Help({ close }: { readonly close: () => void }): VNode {
  const [on, setOn] = useState(areKeysOn);
  const [chosen, setChosen] = useState<Theme>(theme);
  return (
    <Dialog title="Keys and looks" close={close}>
      <div class="help">
        {allKeys().map(({ title, keys }) => (
          <section>
            <h2>{title}</h2>
            <dl class="keys">
              {keys.map(({ key, does }) => (
                <div>
                  <dt>
                    {key.split(' ').map((one) => (
                      <kbd>{one}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="row">
        <input
          type="checkbox"
          checked={on}
          onChange={({ currentTarget }) => {
            setKeysOn(currentTarget.checked);
            setOn(currentTarget.checked);
          }}
        />
        Single keys act where nobody types
      </label>
      <fieldset class="row">
        <legend class="visually-hidden">Colours</legend>
        {themes.map((one) => (
          <label class="row">
            <input
              type="radio"
              name="theme"
              checked={one === chosen}
              onChange={() => {
                chooseTheme(one);
                setChosen(one);
              }}
            />
            {one === 'system' ? 'As the system' : one === 'light' ? 'Light' : 'Dark'}
          </label>
        ))}
      </fieldset>
      <p>
        <button type="button" onClick={() => write('DELETE', '/session').finally(() => location.reload())}>
          Sign this window out
        </button>
      </p>
    </Dialog>
  );
}
