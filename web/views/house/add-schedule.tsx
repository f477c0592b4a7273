/** A new schedule: tried out against the last seven days before it is added, if one likes. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { write } from '../../api/client.ts';
import type { NewSchedule } from '../../api/types.ts';
import { Choice, Field, FormDialog, TextField } from '../../parts/form.tsx';
import { useAct } from '../../parts/use-act.ts';
import { exact, plainText } from '../../parts/words.ts';

interface DryRun {
  readonly starts: readonly {
    readonly at: number;
    readonly event: { readonly name: string; readonly paths: readonly string[] } | null;
    readonly held: string | null;
  }[];
  readonly total: number;
}

const blank = () => ({
  ...{ id: '', prompt: '', when: 'cron', cron: '0 7 * * 1-5', every: '24h', on: 'create_page' },
  ...{ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, paths: '', gather: '', thread: '' },
  ...{ missed: 'once', max_per_day: '', max_running: '', max_usd_per_day: '', max_usd: '', max_time: '' },
});
type Filled = ReturnType<typeof blank>;

const listed = (text: string): readonly string[] =>
  text
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The request for the API, without the fields that were left empty. */
function scheduleOf(filled: Filled): NewSchedule {
  const { id, prompt, when, cron, zone, every, on, paths, gather, thread, missed, max_time } = filled;
  const number = (name: 'max_per_day' | 'max_running' | 'max_usd_per_day' | 'max_usd') =>
    filled[name].trim() === '' ? {} : { [name]: Number(filled[name]) };
  const text = (name: 'zone' | 'gather' | 'thread' | 'max_time', value: string) =>
    value.trim() === '' ? {} : { [name]: value.trim() };
  return {
    ...{ id: id.trim(), prompt: prompt.trim(), missed: missed as 'once' },
    ...(when === 'cron' && { cron: cron.trim(), ...text('zone', zone) }),
    ...(when === 'every' && { every: every.trim() }),
    ...(when === 'on' && {
      on: listed(on),
      ...(paths.trim() !== '' && { paths: listed(paths) }),
      ...text('gather', gather),
    }),
    ...{ ...text('thread', thread), ...text('max_time', max_time) },
    ...{ ...number('max_per_day'), ...number('max_running'), ...number('max_usd_per_day') },
    ...number('max_usd'),
  };
}

export function AddSchedule({
  path,
  close,
  done,
}: {
  readonly path: string;
  readonly close: () => void;
  readonly done: (what: string) => void;
}): VNode {
  const [filled, setFilled] = useState<Filled>(blank);
  const [tried, setTried] = useState<DryRun | null>(null);
  const act = useAct();
  const field = (name: keyof Filled) => ({
    value: filled[name],
    set(value: string): void {
      setFilled((before) => ({ ...before, [name]: value }));
      setTried(null);
    },
  });
  const add = async (): Promise<void> => {
    const added = await act.run(() => write('POST', path, scheduleOf(filled)));
    if (added !== null) done(`${filled.id.trim()} is added, and on.`);
  };
  const tryOut = async (): Promise<void> => {
    const found = await act.run(() => write<DryRun>('POST', `${path}/dry-run`, scheduleOf(filled)));
    setTried(found?.value ?? null);
  };
  const { when } = filled;
  return (
    <FormDialog
      title="Add a schedule"
      act={act}
      send={() => void add()}
      does="Add it"
      close={close}
      beside={
        <button type="button" disabled={act.busy} onClick={() => void tryOut()}>
          Try it out
        </button>
      }
    >
      <Field label="Name" hint="Letters, digits, dots, hyphens." {...field('id')} isFirst required />
      <TextField label="What the agent is told" {...field('prompt')} required rows={4} />
      <div class="pair">
        <Choice
          label="When"
          {...field('when')}
          of={[
            ['cron', 'At times'],
            ['every', 'Again and again'],
            ['on', 'When something is written'],
          ]}
        />
        {when === 'cron' && (
          <Field label="Minute, hour, day, month, day of the week" {...field('cron')} required />
        )}
        {when === 'cron' && <Field label="Time zone" {...field('zone')} />}
        {when === 'every' && <Field label="Every" hint="Such as 30m or 24h." {...field('every')} required />}
        {when === 'on' && (
          <Field label="Writes" hint="Such as create_page, promote." {...field('on')} required />
        )}
        {when === 'on' && <Field label="Only for pages at" placeholder="Projects/**" {...field('paths')} />}
        {when === 'on' && (
          <Field
            label="Gather until quiet for"
            hint="Such as 5m: writes in between are one event."
            {...field('gather')}
          />
        )}
      </div>
      <details>
        <summary>Limits, and what else can be said</summary>
        <div class="pair">
          <Field label="Turns a day at most" {...field('max_per_day')} />
          <Field label="Turns at once at most" {...field('max_running')} />
          <Field label="US dollars a day at most" {...field('max_usd_per_day')} />
          <Field label="US dollars a turn at most" {...field('max_usd')} />
          <Field label="Time of a turn at most" placeholder="10m" {...field('max_time')} />
          <Field label="Always in the conversation" hint="Empty: a new one each time." {...field('thread')} />
          <Choice
            label="Times that were missed"
            {...field('missed')}
            of={[
              ['once', 'Once for all of them'],
              ['skip', 'Left out'],
              ['all', 'Each of them'],
            ]}
          />
        </div>
      </details>
      {tried !== null && <Tried of={tried} />}
    </FormDialog>
  );
}

/** Starts that are listed. */
const maxShown = 50;

const Tried = ({ of: { starts, total } }: { readonly of: DryRun }): VNode => (
  <section aria-label="Tried out">
    <p role="status">
      In the last seven days it would have come up {total === 1 ? 'once' : `${total} times`}
      {starts.some(({ held }) => held !== null) &&
        `, and ${starts.filter(({ held }) => held !== null).length} of them held back`}
      . Nothing was added.
    </p>
    {starts.length > 0 && (
      <ul class="lines" tabIndex={0} aria-label="When it would have come up">
        {starts.slice(-maxShown).map(({ at, event, held }) => (
          <li key={`${at} ${event?.paths.join()}`} class="flat">
            <span class="row small">
              <span>{exact(at)}</span>
              {held !== null && <span class="tag warn">{plainText(held)}</span>}
              {event !== null && (
                <span class="muted">
                  {event.name.replaceAll('_', ' ')} {plainText(event.paths.join(', '))}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
