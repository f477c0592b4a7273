/** When the alerted trouble began, which may differ from the first change anywhere. */
import type { Facts } from './facts.ts';
import { isSymptom, type Movement } from './movement.ts';
import { isAmong } from './subject.ts';
import { isBad, isWorse } from './symptoms.ts';

export interface Onset {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly from: 'series' | 'alert';
}

const minute = 60_000;
/** A movement that is less than this, as a factor, is no trouble by itself. */
const mild = 1.5;

/**
 * Taken from the alerted series; otherwise from the first symptom of the alert's subject, its first new message, or
 * the alert.
 */
export function onsetOf(
  alert: { readonly at: number; readonly metric: string | null },
  names: ReadonlySet<string>,
  movements: readonly Movement[],
  { patterns }: Facts,
): Onset {
  const until = alert.at + 2 * minute;
  const own = movements.filter(({ service, onset }) => onset <= until && isAmong(names, service));
  const movement = own.find(({ metric }) => metric === alert.metric);
  const felt = movement ?? own.find(isSymptom) ?? own[0];
  const told = patterns
    .filter(
      (logPattern) => isWorse(logPattern) && isBad(logPattern.level) && isAmong(names, logPattern.service),
    )
    .flatMap(({ first }) => (first !== null && first <= until ? [first] : []));
  // A little less work, or fewer requests, is any quiet minute: the first complaint after it is the beginning then.
  const isOrdinary =
    felt !== undefined &&
    felt !== movement &&
    !isSymptom(felt) &&
    (felt.factor < mild || (felt.kind === 'demand' && felt.direction === 'down'));
  if (felt !== undefined && !(isOrdinary && told.length > 0 && Math.min(...told) > felt.onset))
    return { at: Math.min(felt.onset, alert.at), from: 'series' };
  if (told.length > 0) return { at: Math.min(...told, alert.at), from: 'alert' };
  const near = movements.filter(({ onset }) => onset <= until)[0];
  return near === undefined
    ? { at: alert.at, from: 'alert' }
    : { at: Math.min(near.onset, alert.at), from: 'series' };
}
