/** The log of a run: from its beginning, and then as it is written, by one stream for all windows. */
import { useEffect, useState } from 'preact/hooks';
import type { LoggedEvent } from '../../../src/view.ts';
import { read, type Trouble, troubleOf } from '../../api/client.ts';
import type { StreamEvent } from '../../api/event-text.ts';
import { follow } from '../../api/follow.ts';
import { shareStream } from '../../api/streams.ts';
import type { RunSummary, RunWhole } from '../../api/types.ts';

export interface RunLog {
  readonly log: readonly LoggedEvent[];
  /** reading: what was there before; live: it is being written; over: nothing comes any more. */
  readonly state: 'reading' | 'live' | 'away' | 'over';
  /** The state of a run that has not ended, as the server said; null before the first answer. */
  readonly stands: RunSummary['state'] | null;
  /** The conversation that it is a turn of. */
  readonly thread: string | null;
  readonly trouble: Trouble | null;
}

/** So that a log that grows fast is folded a few times a second. Milliseconds. */
const settleMs = 250;

const gone: Trouble = {
  code: 'gone',
  message: 'The beginning of this log is no longer kept',
  remedy: 'Its answer is: sonde show prints it.',
};

const nothing: RunLog = { log: [], state: 'reading', stands: null, thread: null, trouble: null };

export function useRunLog(run: string): RunLog {
  const [shown, setShown] = useState<RunLog>(nothing);
  useEffect(() => {
    const path = `/runs/${encodeURIComponent(run)}`;
    const stop = new AbortController();
    const log: LoggedEvent[] = [];
    let state: RunLog['state'] = 'reading';
    let stands: RunLog['stands'] = null;
    let thread: RunLog['thread'] = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let leave = (): void => {};
    setShown(nothing);

    const show = (): void => {
      clearTimeout(timer);
      timer = undefined;
      if (!stop.signal.aborted) setShown({ log: log.slice(), state, stands, thread, trouble: null });
    };
    const change = (to: RunLog['state']): void => {
      state = to;
      show();
    };
    const last = (): number => log.at(-1)?.seq ?? 0;
    const take = ({ data }: StreamEvent): void => {
      const event = JSON.parse(data) as LoggedEvent;
      if (event.seq <= last()) return;
      log.push(event);
      // A live event shows that a process is working on the run.
      if (state === 'live') stands = 'running';
      timer ??= setTimeout(show, settleMs);
    };

    /** Loads the steps written so far; true if the run has ended, so that no more come. */
    async function catchUp(): Promise<boolean> {
      const { last_event: until, ...now } = await read<RunWhole>(path, stop.signal);
      ({ state: stands, thread } = now);
      if (until <= last()) {
        show();
        return stands === 'finished';
      }
      const here = new AbortController();
      const ended = await follow(
        `${path}/events`,
        log.length === 0 ? '' : String(last()),
        AbortSignal.any([here.signal, stop.signal]),
        {
          event(one) {
            take(one);
            if (last() >= until) setTimeout(() => here.abort(), 0);
          },
        },
      );
      if (ended === 'gone') throw Object.assign(new Error(gone.message), { trouble: gone });
      return ended === 'over';
    }

    async function start(): Promise<void> {
      if (await catchUp()) return change('over');
      if (stop.signal.aborted) return;
      change('live');
      let chasing = false;
      const chase = async (): Promise<void> => {
        if (chasing) return;
        chasing = true;
        await catchUp().catch(() => {});
        chasing = false;
      };
      leave = shareStream(
        `${path}/events`,
        {
          event(one) {
            // Another window heard what this one has missed.
            if (Number(one.id) > last() + 1) void chase();
            else take(one);
          },
          over: () => change('over'),
          live: (isLive) => change(isLive ? 'live' : 'away'),
        },
        String(last()),
      );
      setTimeout(() => void chase(), 1_000);
    }

    start().catch((thrown: unknown) => {
      if (stop.signal.aborted) return;
      const trouble = (thrown as { trouble?: Trouble }).trouble ?? troubleOf(thrown);
      setShown({ log, state: 'over', stands, thread, trouble });
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      leave();
    };
  }, [run]);
  return shown;
}
