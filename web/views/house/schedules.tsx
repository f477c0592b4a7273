/** Turns that start by themselves: when, what came of the last; switched, started and changed by who may. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type List, read, write } from '../../api/client.ts';
import type { Schedule } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { FormDialog } from '../../parts/form.tsx';
import { useKeys } from '../../parts/keys.ts';
import { go, to } from '../../parts/route.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed, Shown } from '../../parts/states.tsx';
import { useAct } from '../../parts/use-act.ts';
import { exact, lasted, plainText, since } from '../../parts/words.ts';
import { AddSchedule } from './add-schedule.tsx';

const whenOf = ({ trigger }: Schedule): string =>
  trigger.kind === 'cron'
    ? `${trigger.expression} (${trigger.zone})`
    : trigger.kind === 'interval'
      ? `every ${lasted(trigger.everyMs)}`
      : `on ${trigger.names.join(', ')}`;

/** The restrictions of a schedule, apart from its time. */
const boundsOf = ({ paths = [], together = {} }: Schedule): string =>
  [
    paths.length > 0 ? `pages ${paths.join(', ')}` : '',
    together.running === undefined ? '' : `${together.running} at once`,
    together.perDay === undefined ? '' : `${together.perDay} a day`,
    together.usdPerDay === undefined ? '' : `$${together.usdPerDay} a day`,
  ]
    .filter((part) => part !== '')
    .join('; ');

interface Ready {
  readonly id: string;
  readonly about: string;
  readonly cron: string;
}

interface Schedules {
  readonly items: readonly Schedule[];
  readonly ready: readonly Ready[];
}

export function Schedules(): VNode {
  const { workspace, role } = useSession();
  const path = `/workspaces/${encodeURIComponent(workspace)}/schedules`;
  const isKeeper = role !== 'reader';
  const reading = useRead<Schedules>(path, async (_, signal) => {
    const items: Schedule[] = [];
    for (let next: string | null = null; ; ) {
      const query = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
      const part: List<Schedule> & { readonly ready?: readonly Ready[] } = await read(
        `${path}?limit=200${query}`,
        signal,
      );
      items.push(...part.items);
      next = part.next;
      if (next === null) return { items, ready: part.ready ?? [] };
    }
  });
  const { again } = reading;
  const [asked, setAsked] = useState<'add' | Schedule | null>(null);
  const [said, setSaid] = useState('');
  const act = useAct();
  useKeys('Schedules', isKeeper ? [{ key: 'n', does: 'Add a schedule', act: () => setAsked('add') }] : []);
  const at = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  const turn = async (id: string, enabled: boolean): Promise<void> => {
    if ((await act.run(() => write('PATCH', at(id), { enabled }))) === null) return;
    setSaid(`${id} is ${enabled ? 'on' : 'off'}.`);
    again();
  };
  const start = async (id: string): Promise<void> => {
    const begun = await act.run(() => write<{ readonly thread: string }>('POST', `${at(id)}/run`, {}));
    if (begun !== null) go(to('threads', begun.value.thread));
  };
  const close = (): void => setAsked(null);
  const done = (what: string): void => {
    close();
    setSaid(what);
    again();
  };
  return (
    <div class="pad">
      <div class="row spread">
        <h1>Schedules</h1>
        {isKeeper && (
          <button type="button" class="main-act" onClick={() => setAsked('add')}>
            New <kbd>n</kbd>
          </button>
        )}
      </div>
      <p class="small muted" role="status">
        {plainText(said)}
      </p>
      {act.trouble !== null && <Failed trouble={act.trouble} />}
      <Shown of={reading} what="schedules">
        {({ items, ready }) => (
          <>
            {items.length === 0 ? (
              <Empty title="Nothing starts by itself">
                {isKeeper ? 'A schedule is a turn that does.' : 'Schedules that somebody adds come here.'}
              </Empty>
            ) : (
              <div class="table-wrap" tabIndex={0} role="region" aria-label="Schedules">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">What</th>
                      <th scope="col">When</th>
                      <th scope="col">Next</th>
                      <th scope="col">Last</th>
                      {isKeeper && (
                        <th scope="col">
                          <span class="visually-hidden">Acts</span>
                        </th>
                      )}
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((one) => (
                      <Row
                        key={one.id}
                        of={one}
                        acts={
                          isKeeper
                            ? {
                                busy: act.busy,
                                turn: (enabled) => void turn(one.id, enabled),
                                start: () => void start(one.id),
                                remove: () => setAsked(one),
                              }
                            : null
                        }
                      />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {isKeeper && ready.length > 0 && (
              <section>
                <h2>Ready to be switched on</h2>
                <ul class="lines">
                  {ready.map(({ id, about, cron }) => (
                    <li key={id} class="flat">
                      <span class="row spread">
                        <span>
                          <strong>{id}</strong> <span class="muted">{about}</span> <code>{cron}</code>
                        </span>
                        <button
                          type="button"
                          class="small"
                          aria-label={`Switch on ${id}`}
                          disabled={act.busy}
                          onClick={() => void turn(id, true)}
                        >
                          Switch on
                        </button>
                      </span>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Shown>
      {asked === 'add' && <AddSchedule {...{ path, close, done }} />}
      {asked !== null && asked !== 'add' && (
        <RemoveSchedule at={at(asked.id)} schedule={asked} {...{ close, done }} />
      )}
    </div>
  );
}

interface Acts {
  readonly busy: boolean;
  readonly turn: (enabled: boolean) => void;
  readonly start: () => void;
  readonly remove: () => void;
}

function Row({ of, acts }: { readonly of: Schedule; readonly acts: Acts | null }): VNode {
  const { id, prompt, thread, enabled, next, last } = of;
  const bounds = boundsOf(of);
  return (
    <tr>
      <td>
        <strong>{plainText(id)}</strong> <span class="schedule-prompt">{plainText(prompt)}</span>{' '}
        {thread !== null && <a href={to('threads', thread)}>its conversation</a>}
      </td>
      <td>
        {plainText(whenOf(of))}
        {bounds !== '' && <span class="small muted"> {plainText(bounds)}</span>}
      </td>
      <td>{!enabled ? <span class="tag">off</span> : next === null ? 'at its event' : exact(next)}</td>
      <td>
        {last === null ? (
          <span class="muted">never</span>
        ) : (
          <>
            <span class={`tag ${last.state === 'done' ? 'good' : 'warn'}`}>{last.state}</span>{' '}
            {since(last.due)} {plainText(last.note ?? '')}
          </>
        )}
      </td>
      {acts !== null && (
        <td>
          <span class="row">
            <button
              type="button"
              class="small"
              aria-label={`Run now: ${plainText(id)}`}
              disabled={acts.busy}
              onClick={acts.start}
            >
              Run now
            </button>
            <button
              type="button"
              class="small"
              aria-label={`Switch ${enabled ? 'off' : 'on'} ${plainText(id)}`}
              disabled={acts.busy}
              onClick={() => acts.turn(!enabled)}
            >
              {enabled ? 'Switch off' : 'Switch on'}
            </button>
            <button type="button" class="small" aria-label={`Remove ${plainText(id)}`} onClick={acts.remove}>
              Remove
            </button>
          </span>
        </td>
      )}
    </tr>
  );
}

function RemoveSchedule({
  at,
  schedule: { id },
  close,
  done,
}: {
  readonly at: string;
  readonly schedule: Schedule;
  readonly close: () => void;
  readonly done: (what: string) => void;
}): VNode {
  const act = useAct();
  const remove = async (): Promise<void> => {
    if ((await act.run(() => write('DELETE', at))) !== null) done(`${id} is gone.`);
  };
  return (
    <FormDialog
      title={`Remove ${plainText(id)}`}
      act={act}
      send={() => void remove()}
      does="Remove it"
      close={close}
    >
      <p>It starts nothing from then on. What it started stays.</p>
    </FormDialog>
  );
}
