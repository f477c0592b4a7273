/** Chooses the waiting jobs that a worker gets, for every engine. */
import type { ClaimRequest, Job, QueueRule } from './queue.ts';

/** The fields of a running job that the choice depends on. */
export type RunningJob = Pick<Job, 'team' | 'shape' | 'deaths'>;

export interface QueuedCandidate extends RunningJob {
  readonly id: number;
  readonly needs: string | null;
  readonly priority: number;
  readonly due: number;
}

/** When each team got its last job from this queue. */
export interface TeamTurns {
  recordTurn(team: string): void;
  /** A number that grows with each job; 0: the team never got one. */
  lastTurn(team: string): number;
}

export function createTeamTurns(): TeamTurns {
  const turns = new Map<string, number>();
  let lastTurnNumber = 0;
  return {
    recordTurn(team) {
      lastTurnNumber += 1;
      turns.set(team, lastTurnNumber);
    },
    lastTurn: (team) => turns.get(team) ?? 0,
  };
}

/** Whether the rule applies to the job. */
const appliesTo = ({ team, shape }: QueueRule, job: Pick<RunningJob, 'team' | 'shape'>): boolean =>
  (team === null || team === job.team) && (shape === null || shape === job.shape);

/** The rule that prevents the start of a job; null if there is none. */
export function findBlockingRule(
  job: Pick<RunningJob, 'team' | 'shape'>,
  atWork: readonly RunningJob[],
  rules: readonly QueueRule[],
): QueueRule | null {
  const countRunning = (rule: QueueRule): number =>
    atWork.filter((other) => other.team === job.team && appliesTo(rule, other)).length;
  return (
    rules.find(
      (rule) =>
        appliesTo(rule, job) && (rule.paused || (rule.max !== null && countRunning(rule) >= rule.max)),
    ) ?? null
  );
}

export const meetsNeeds = (needs: string | null, offers: readonly string[] | null | undefined): boolean =>
  needs === null || offers === undefined || offers === null || offers.includes(needs);

/** `waiting`: jobs that are due and whose turn in their group has come. */
export function chooseJobs<Waiting extends QueuedCandidate>(
  waiting: readonly Waiting[],
  running: readonly RunningJob[],
  rules: readonly QueueRule[],
  { max, careful = false, offers }: Pick<ClaimRequest, 'max' | 'careful' | 'offers'>,
  { lastTurn }: Pick<TeamTurns, 'lastTurn'>,
): readonly Waiting[] {
  const atWork = [...running];
  const chosen: Waiting[] = [];
  let remaining = waiting.filter(({ needs }) => meetsNeeds(needs, offers));
  const countAtWork = (team: string): number => atWork.filter((other) => other.team === team).length;
  while (chosen.length < max) {
    const isSuspect = careful && atWork.some(({ deaths }) => deaths > 0);
    const load = new Map(remaining.map(({ team }) => [team, countAtWork(team)]));
    const [nextJob] = remaining
      .filter((job) => !(isSuspect && job.deaths > 0) && findBlockingRule(job, atWork, rules) === null)
      .sort(
        (a, b) =>
          a.priority - b.priority ||
          load.get(a.team)! - load.get(b.team)! ||
          lastTurn(a.team) - lastTurn(b.team) ||
          a.due - b.due ||
          a.id - b.id,
      );
    if (nextJob === undefined) break;
    chosen.push(nextJob);
    atWork.push(nextJob);
    remaining = remaining.filter((job) => job !== nextJob);
  }
  return chosen;
}
