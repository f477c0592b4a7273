/** How the server is set up, who may ask it, and what of it may go. */
import type { VNode } from 'preact';
import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../parts/keys.ts';
import { goQuietly, type Place, to } from '../../parts/route.ts';
import { Shown } from '../../parts/states.tsx';
import { plainText } from '../../parts/words.ts';
import { Prune } from './prune.tsx';
import { Tokens } from './tokens.tsx';

const tabs = [
  ['settings', 'Settings', '1'],
  ['tokens', 'Tokens', '2'],
  ['prune', 'Clean up', '3'],
] as const;
type Tab = (typeof tabs)[number][0];

export function Settings({ place }: { readonly place: Place }): VNode {
  const tab: Tab = tabs.find(([one]) => one === place.parts[0])?.[0] ?? 'settings';
  const open = (one: Tab): string => (one === 'settings' ? to('settings') : to('settings', one));
  useKeys(
    'Settings',
    tabs.map(([one, does, key]) => ({ key, does, act: () => goQuietly(open(one)) })),
  );
  return (
    <div class="pad">
      <h1>Settings</h1>
      <nav class="tabs" aria-label="Parts of the settings">
        {tabs.map(([one, title]) => (
          <a href={open(one)} aria-current={one === tab ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {tab === 'settings' && <Values />}
      {tab === 'tokens' && <Tokens />}
      {tab === 'prune' && <Prune />}
    </div>
  );
}

function Values(): VNode {
  const reading = useRead<{
    readonly settings: Readonly<Record<string, { readonly value: unknown; readonly source: string }>>;
  }>('/config');
  return (
    <Shown of={reading} what="settings">
      {({ settings }) => (
        <div class="table-wrap" tabIndex={0} role="region" aria-label="Settings">
          <table>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">Value</th>
                <th scope="col">From</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(settings).map(([name, { value, source }]) => (
                <tr key={name}>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>
                    {value === null || value === undefined ? (
                      <span class="muted">not set</span>
                    ) : (
                      plainText(typeof value === 'string' ? value : JSON.stringify(value))
                    )}
                  </td>
                  <td class={source === 'default' ? 'muted' : undefined}>{plainText(source)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Shown>
  );
}
