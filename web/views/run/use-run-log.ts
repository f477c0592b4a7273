/** The log of a run: from its beginning, and then as it is written, by one stream for all windows. */
import { useEffect, useState } from 'preact/hooks';
import type { LoggedEvent } from '../../../src/view.ts';
import { read, type Trouble, troubleOf } from '../../api/client.ts';
import type { StreamEvent } from '../../api/event-text.ts';
import { follow } from '../../api/follow.ts';
import { shareStream } from '../../api/streams.ts';

export interface RunLog {
  readonly log: readonly LoggedEvent[];
  /** reading: what was there before; live: it is being written; over: nothing comes any more. */
  readonly state: 'reading' | 'live' | 'away' | 'over';
  /** Nobody works at it: it can be resumed. */
  readonly interrupted: boolean;
  readonly trouble: Trouble | null;
}

/** So that a log that grows fast is folded a few times a second. Milliseconds. */
const settleMs = 250;

const gone: Trouble = {
  code: 'gone',
  message: 'The beginning of this log is no longer kept',
  remedy: 'Its answer is: sonde show prints it.',
};

const nothing: RunLog = { log: [], state: 'reading', interrupted: false, trouble: null };

export function useRunLog(run: string): RunLog {
  const [shown, setShown] = useState<RunLog>(nothing);
  useEffect(() => {
    const path = `/runs/${encodeURIComponent(run)}`;
    const stop = new AbortController();
    const log: LoggedEvent[] = [];
    let state: RunLog['state'] = 'reading';
    let interrupted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let leave = (): void => {};
    setShown(nothing);

    const show = (): void => {
      clearTimeout(timer);
      timer = undefined;
      if (!stop.signal.aborted) setShown({ log: log.slice(), state, interrupted, trouble: null });
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
      // Somebody writes it.
      if (state === 'live') interrupted = false;
      timer ??= setTimeout(show, settleMs);
    };

    /** What was written before; true: nothing comes behind it. */
    async function catchUp(): Promise<boolean> {
      const { last_event: until, state: stands } = await read<{
        readonly last_event: number;
        readonly state: string;
      }>(path, stop.signal);
      interrupted = stands === 'interrupted';
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
      setShown({ log, state: 'over', interrupted, trouble });
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      leave();
    };
  }, [run]);
  return shown;
}
