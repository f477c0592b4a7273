/** Which waiting jobs a worker gets: decided here for every engine. */
import type { ClaimRequest, Job, QueueRule } from './queue.ts';

/** A job that runs, as far as the choice depends on it. */
export type AtWork = Pick<Job, 'team' | 'shape' | 'deaths'>;

export interface QueuedCandidate extends AtWork {
  readonly id: number;
  readonly needs: string | null;
  readonly priority: number;
  readonly due: number;
}

/** Which teams a queue gave jobs to, in which order. */
export interface TeamsServed {
  served(team: string): void;
  /** The lower, the longer ago. */
  placeOf(team: string): number;
}

export function teamsServed(): TeamsServed {
  const places = new Map<string, number>();
  let last = 0;
  return {
    served(team) {
      last += 1;
      places.set(team, last);
    },
    placeOf: (team) => places.get(team) ?? 0,
  };
}

/** Whether the rule applies to the job. */
const concerns = ({ team, shape }: QueueRule, job: Pick<AtWork, 'team' | 'shape'>): boolean =>
  (team === null || team === job.team) && (shape === null || shape === job.shape);

/** The rule that keeps a job from being started; null for none. */
export function ruleInTheWay(
  job: Pick<AtWork, 'team' | 'shape'>,
  atWork: readonly AtWork[],
  rules: readonly QueueRule[],
): QueueRule | null {
  const countRunning = (rule: QueueRule): number =>
    atWork.filter((other) => other.team === job.team && concerns(rule, other)).length;
  return (
    rules.find(
      (rule) => concerns(rule, job) && (rule.paused || (rule.max !== null && countRunning(rule) >= rule.max)),
    ) ?? null
  );
}

export const offersAll = (needs: string | null, offers: readonly string[] | null | undefined): boolean =>
  needs === null || offers === undefined || offers === null || offers.includes(needs);

/** `waiting`: jobs that are due and whose turn in their group has come. */
export function choose<Waiting extends QueuedCandidate>(
  waiting: readonly Waiting[],
  running: readonly AtWork[],
  rules: readonly QueueRule[],
  { max, careful = false, offers }: Pick<ClaimRequest, 'max' | 'careful' | 'offers'>,
  { placeOf }: Pick<TeamsServed, 'placeOf'>,
): readonly Waiting[] {
  const atWork = [...running];
  const chosen: Waiting[] = [];
  let rest = waiting.filter(({ needs }) => offersAll(needs, offers));
  const busy = (team: string): number => atWork.filter((other) => other.team === team).length;
  while (chosen.length < max) {
    const isSuspect = careful && atWork.some(({ deaths }) => deaths > 0);
    const load = new Map(rest.map(({ team }) => [team, busy(team)]));
    const [next] = rest
      .filter((job) => !(isSuspect && job.deaths > 0) && ruleInTheWay(job, atWork, rules) === null)
      .sort(
        (a, b) =>
          a.priority - b.priority ||
          load.get(a.team)! - load.get(b.team)! ||
          placeOf(a.team) - placeOf(b.team) ||
          a.due - b.due ||
          a.id - b.id,
      );
    if (next === undefined) break;
    chosen.push(next);
    atWork.push(next);
    rest = rest.filter((job) => job !== next);
  }
  return chosen;
}
