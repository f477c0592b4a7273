/**
 * Decides when work is given up because processes died over it, for runs, turns of conversations and groups of alerts.
 * A crash of the work's own process while its worker lives is evidence against the work. The death of a worker is weak
 * evidence: machines fail, and operators stop workers.
 */
import type { Job } from './queue.ts';

/** The record of deaths that is stored with a job. */
export interface DeathRecord {
  /** The highest progress so far; null: never measured. */
  readonly progress: number | null;
  /** The job's number of deaths when that progress was reached. */
  readonly deaths: number;
  /** How many deaths since then were crashes of the work's own process. */
  readonly crashes: number;
}

/** Limits on crashes and on all deaths without progress (`idle…`), and on deaths in all. */
export const deathLimits = { idleCrashes: 3, idleDeaths: 10, inAll: 50 } as const;

const noDeaths: DeathRecord = { progress: null, deaths: 0, crashes: 0 };

export interface DeathVerdict {
  /** The record to store. */
  readonly kept: DeathRecord;
  /** Whether it differs from the stored one. */
  readonly isChanged: boolean;
  /** Why the work is given up; null: it is tried again. */
  readonly end: string | null;
}

/** `progress`: how much of the work is stored. A higher number than before means that the last process got further. */
export function judgeDeaths(
  { deaths }: Pick<Job, 'deaths'>,
  before: DeathRecord | null,
  progress: number,
): DeathVerdict {
  const { progress: lastProgress, deaths: countedDeaths, crashes: countedCrashes } = before ?? noDeaths;
  const hasProgressed = lastProgress !== null && progress > lastProgress;
  // Fewer deaths than before: the job was reopened, which resets them.
  const startDeaths = hasProgressed ? deaths : Math.min(deaths, countedDeaths);
  const idleDeaths = deaths - startDeaths;
  const crashes = Math.min(idleDeaths, countedCrashes);
  return {
    kept: { progress: Math.max(progress, lastProgress ?? 0), deaths: startDeaths, crashes },
    isChanged:
      lastProgress === null || hasProgressed || startDeaths !== countedDeaths || crashes !== countedCrashes,
    end: findGiveUpReason({ deaths, idle: idleDeaths, crashes }),
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

/** The record to store with the settlement `died`. */
export const addCrash = (kept: DeathRecord | null): DeathRecord => {
  const record = kept ?? noDeaths;
  return { ...record, crashes: record.crashes + 1 };
};

/** Reads the record of a job, also of older versions; null: there is none. */
export function readDeaths({ kept }: Pick<Job, 'kept'>): DeathRecord | null {
  const {
    progress = null,
    deaths,
    crashes = 0,
    stuck,
  } = (kept ?? {}) as Partial<DeathRecord> & {
    /** Written by older versions: the deaths without progress. `deaths` was then the number of all deaths. */
    readonly stuck?: number;
  };
  if (deaths === undefined) return null;
  return { progress, deaths: stuck === undefined ? deaths : deaths - stuck, crashes };
}
