/** The verdict of the code alone, with the numbers it came from. */
import type { IncidentVerdict, Suspect } from '../../../core/index.ts';
import { type CallGraph, callGraphOf } from './call-graph.ts';
import type { Facts } from './facts.ts';
import { firstFailingOf } from './first-failing.ts';
import { type Movement, movementsOf } from './movement.ts';
import { outsideCauses } from './outside.ts';
import type { Outside } from './outside-cause.ts';
import { type Blamed, suspectsOf, type Weights } from './suspects.ts';
import { type AlertWords, symptomsOf } from './symptoms.ts';

export interface Judgement {
  readonly verdict: Extract<
    IncidentVerdict,
    'code_change' | 'config_change' | 'no_code_change' | 'inconclusive'
  >;
  /** What it blames; null where inconclusive. */
  readonly cause: Blamed | Outside | null;
  readonly blamed: readonly Blamed[];
  readonly outside: readonly Outside[];
  readonly movements: readonly Movement[];
  readonly graph: CallGraph;
  /** Milliseconds since the Unix epoch. */
  readonly onset: number;
  readonly onsetFrom: 'series' | 'alert';
  readonly firstFailing: string | null;
}

export interface JudgedAlert extends AlertWords {
  /** When it began to fire, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A change that explains less of what was seen than this is not blamed. */
const enough = 0.2;
/** Unless nothing else comes near it, and it went to the very service: then half of it will do. */
const alone = { score: 0.1, times: 2.5 } as const;
/** And one that is not clearly above the next is a guess. */
const clearly = 1.15;
/** Something outside that is less certain than this is not named as the cause. */
const certain = 0.6;
const plainly = 0.45;

/** `weights` for measuring how much hangs on them. */
export function judge(facts: Facts, alert: JudgedAlert, weights?: Weights): Judgement {
  const movements = movementsOf(facts.series).filter(({ onset }) => onset <= alert.at + 5 * 60_000);
  const graph = callGraphOf(facts.spans);
  const onset = Math.min(movements[0]?.onset ?? Infinity, alert.at);
  const firstFailing = firstFailingOf(movements, graph, alert.service);
  const symptoms = symptomsOf(facts, movements, alert, onset);
  const blamed = suspectsOf(
    {
      facts,
      movements,
      symptoms,
      graph,
      onset,
      alertService: alert.service,
      firstFailing,
    },
    weights,
  );
  const outside = outsideCauses(facts, movements, graph, alert.service, onset);
  const cause = causeOf(blamed, outside);
  return {
    verdict:
      cause === null
        ? 'inconclusive'
        : cause.kind === 'commit'
          ? 'code_change'
          : cause.kind === 'flag' || cause.kind === 'config'
            ? 'config_change'
            : 'no_code_change',
    cause,
    blamed,
    outside,
    movements,
    graph,
    onset,
    onsetFrom: movements[0] === undefined || movements[0].onset > alert.at ? 'alert' : 'series',
    firstFailing,
  };
}

function causeOf(blamed: readonly Blamed[], outside: readonly Outside[]): Blamed | Outside | null {
  const [first, second] = blamed.filter(({ before }) => before);
  const [other] = outside;
  // Of a flag nobody knows what it does: something that was seen must speak of it.
  const readable =
    first?.diffRead === true && first.how !== 'undelivered' && (first.kind === 'commit' || first.fit > 0);
  const rest = second?.score ?? 0;
  const sure =
    readable &&
    first.score >= clearly * rest &&
    (first.score >= enough || (first.score >= alone.score && first.score >= alone.times * rest));
  if (other !== undefined && other.score >= certain && !(sure && first.score >= other.score)) return other;
  const plain = other !== undefined && other.score >= plainly;
  // What messages say plainly outweighs a change that only stands alone, and a flag that explains less.
  const outweighed =
    plain && first !== undefined && first.score < (first.kind === 'commit' ? enough : other.score);
  if (sure && !outweighed) return first;
  if (plain && (first?.score ?? 0) < 2 * enough) return other;
  return null;
}

/** What scores less is listed only where there is little else. */
const notable = 0.03;

/** Everything that may be to blame, the likeliest first: what the verdict blames stands first. */
export function allSuspects({ blamed, outside, cause }: Judgement, most = 8): readonly Suspect[] {
  const all: readonly Suspect[] = [...blamed, ...outside];
  return all
    .toSorted((a, b) => Number(b.id === cause?.id) - Number(a.id === cause?.id) || b.score - a.score)
    .filter(({ score }, rank) => rank < 3 || score >= notable)
    .slice(0, most)
    .map(({ kind, id, score, evidence, why }) => ({ kind, id, score, evidence, why }));
}
