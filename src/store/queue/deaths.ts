/**
 * When work is given up because processes died over it: one rule for runs, turns of conversations and groups of alerts.
 * That the work's own process crashed while its worker lived on tells of the work. That a worker died tells little:
 * machines go, and somebody ends workers, often before they have got anywhere.
 */
import type { Job } from './queue.ts';

/** What a job keeps about the deaths over it. */
export interface DeathRecord {
  /** How much of the work was stored when it had last grown; null: never measured. */
  readonly progress: number | null;
  /** The number of deaths of the job at that time. */
  readonly deaths: number;
  /** How many of the deaths since then were of the work's own process. */
  readonly crashes: number;
}

/** Maximum of crashes, and of deaths of any kind, that added nothing since the work last grew; of deaths in all. */
export const deathLimits = { idleCrashes: 3, idleDeaths: 10, inAll: 50 } as const;

const noDeaths: DeathRecord = { progress: null, deaths: 0, crashes: 0 };

export interface DeathVerdict {
  /** What the job keeps from here on. */
  readonly kept: DeathRecord;
  /** Whether that is other than what it kept before. */
  readonly isChanged: boolean;
  /** Why the work is given up; null: it is tried again. */
  readonly end: string | null;
}

/** `progress`: how much of the work is stored. The number grows if the last process got further than those before. */
export function judgeDeaths(
  { deaths }: Pick<Job, 'deaths'>,
  before: DeathRecord | null,
  progress: number,
): DeathVerdict {
  const { progress: last, deaths: counted, crashes: crashed } = before ?? noDeaths;
  const grew = last !== null && progress > last;
  // Fewer than before: somebody had it tried again after it was given up.
  const start = grew ? deaths : Math.min(deaths, counted);
  const idle = deaths - start;
  const crashes = Math.min(idle, crashed);
  return {
    kept: { progress: Math.max(progress, last ?? 0), deaths: start, crashes },
    isChanged: last === null || grew || start !== counted || crashes !== crashed,
    end: findGiveUpReason({ deaths, idle, crashes }),
  };
}

function findGiveUpReason({
  deaths,
  idle,
  crashes,
}: Readonly<Record<'deaths' | 'idle' | 'crashes', number>>): string | null {
  const { idleCrashes, idleDeaths, inAll } = deathLimits;
  if (crashes >= idleCrashes) return `its own process died ${crashes} times without coming any further`;
  if (idle >= idleDeaths)
    return `${idle} processes, workers or its own, died over it without coming any further`;
  return deaths >= inAll ? `${deaths} processes, workers or its own, died over it` : null;
}

/** To keep with the settlement `died`: the work's own process died. */
export const addCrash = (kept: DeathRecord | null): DeathRecord => {
  const before = kept ?? noDeaths;
  return { ...before, crashes: before.crashes + 1 };
};

/** From what a job keeps, also that of older versions; null: nothing of deaths. */
export function readDeaths({ kept }: Pick<Job, 'kept'>): DeathRecord | null {
  const {
    progress = null,
    deaths,
    crashes = 0,
    stuck,
  } = (kept ?? {}) as Partial<DeathRecord> & {
    /** Older versions of turns: the deaths since the work last grew. `deaths` were then those in all. */
    readonly stuck?: number;
  };
  if (deaths === undefined) return null;
  return { progress, deaths: stuck === undefined ? deaths : deaths - stuck, crashes };
}
