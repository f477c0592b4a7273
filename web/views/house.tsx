/** What runs by itself, what is remembered, what was spent, how it is set up. */
import type { VNode } from 'preact';
import type { MemoryItem, Schedule, Spend as Spending } from '../api/types.ts';
import { useRead } from '../api/use-read.ts';
import { MoreList } from '../parts/more-list.tsx';
import { to } from '../parts/route.ts';
import { useSession } from '../parts/session.ts';
import { Empty, Shown } from '../parts/states.tsx';
import { count, exact, lasted, money, plainText, since } from '../parts/words.ts';

const inWorkspace = (workspace: string, what: string): string =>
  `/workspaces/${encodeURIComponent(workspace)}/${what}`;

const whenOf = ({ trigger }: Schedule): string =>
  trigger.kind === 'cron'
    ? `${trigger.expression} (${trigger.zone})`
    : trigger.kind === 'interval'
      ? `every ${lasted(trigger.everyMs)}`
      : `on ${trigger.names.join(', ')}`;

export function Schedules(): VNode {
  const { workspace } = useSession();
  return (
    <div class="pad">
      <h1>Schedules</h1>
      <MoreList<Schedule>
        path={inWorkspace(workspace, 'schedules')}
        what="schedules"
        empty={
          <Empty title="Nothing starts by itself">
            <code>sonde schedule add</code> makes a turn that does.
          </Empty>
        }
      >
        {(items) => (
          <div class="table-wrap" tabIndex={0} role="region" aria-label="Schedules">
            <table>
              <thead>
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">When</th>
                  <th scope="col">Next</th>
                  <th scope="col">Last</th>
                </tr>
              </thead>
              <tbody>
                {items.map((one) => (
                  <tr key={one.id}>
                    <td>
                      {plainText(one.prompt)}{' '}
                      {one.thread !== null && <a href={to('threads', one.thread)}>its conversation</a>}
                    </td>
                    <td>{plainText(whenOf(one))}</td>
                    <td>
                      {!one.enabled ? (
                        <span class="tag">off</span>
                      ) : one.next === null ? (
                        'at its event'
                      ) : (
                        exact(one.next)
                      )}
                    </td>
                    <td>
                      {one.last === null ? (
                        <span class="muted">never</span>
                      ) : (
                        <>
                          <span class={`tag ${one.last.state === 'done' ? 'good' : 'warn'}`}>
                            {one.last.state}
                          </span>{' '}
                          {since(one.last.due)} {plainText(one.last.note ?? '')}
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </MoreList>
    </div>
  );
}

export function Memory(): VNode {
  const { workspace } = useSession();
  return (
    <div class="pad">
      <h1>Memory</h1>
      <MoreList<MemoryItem>
        path={inWorkspace(workspace, 'memory')}
        what="what is remembered"
        empty={<Empty title="Nothing is remembered">What agents keep of conversations comes here.</Empty>}
      >
        {(items) => (
          <ul class="lines">
            {items.map(({ id, tier, within, key, text, updated, writer, held }) => (
              <li key={id} class="flat">
                <span class="line-main">{plainText(text)}</span>
                <span class="row small muted">
                  <span class="tag">{within === null ? tier : `${tier} ${plainText(within)}`}</span>
                  {held && <span class="tag warn">waits for you</span>}
                  <code>{plainText(key)}</code>
                  <span>{plainText(writer)}</span>
                  <time title={exact(updated)}>{since(updated)}</time>
                </span>
              </li>
            ))}
          </ul>
        )}
      </MoreList>
    </div>
  );
}

export function Settings(): VNode {
  const reading = useRead<{
    readonly settings: Readonly<Record<string, { readonly value: unknown; readonly source: string }>>;
  }>('/config');
  return (
    <div class="pad">
      <h1>Settings</h1>
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
    </div>
  );
}

export function Spend(): VNode {
  const reading = useRead<Spending>('/spend');
  return (
    <div class="pad">
      <h1>Spend</h1>
      <Shown of={reading} what="what was spent">
        {({ runs, shapes, days }) =>
          runs === 0 ? (
            <Empty title="Nothing was spent" />
          ) : (
            <>
              <p class="muted">The last {runs} runs.</p>
              <SpentTable title="By kind of run" first="Kind" rows={shapes} />
              <SpentTable
                title="By day"
                first="Day (UTC)"
                rows={days.toSorted((a, b) => (a.key < b.key ? 1 : -1))}
              />
            </>
          )
        }
      </Shown>
    </div>
  );
}

const SpentTable = ({
  title,
  first,
  rows,
}: {
  readonly title: string;
  readonly first: string;
  readonly rows: Spending['shapes'];
}): VNode => (
  <section>
    <h2>{title}</h2>
    <div class="table-wrap" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {['Runs', 'Tokens', 'Calls', 'Cost', 'Time'].map((name) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, runs, spent: { tokens = 0, calls = 0, usd = 0, wall_ms = 0 } }) => (
            <tr key={key}>
              <td>{plainText(key)}</td>
              {[count(runs), count(tokens), count(calls), money(usd), lasted(wall_ms)].map((text) => (
                <td class="number">{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
