/** When the alerted problem began, which may differ from the first change anywhere. */
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
/** A change of a metric by less than this factor is not a problem by itself. */
const minFactor = 1.5;

/**
 * Taken from the alerted series; otherwise from the first symptom of the alert's subject, its first new message, or
 * the alert.
 */
export function findAlertOnset(
  alert: { readonly at: number; readonly metric: string | null },
  names: ReadonlySet<string>,
  movements: readonly Movement[],
  { patterns }: Facts,
): Onset {
  const latest = alert.at + 2 * minute;
  const ownMovements = movements.filter(({ service, onset }) => onset <= latest && isAmong(names, service));
  const alertedMovement = ownMovements.find(({ metric }) => metric === alert.metric);
  const firstSymptom = alertedMovement ?? ownMovements.find(isSymptom) ?? ownMovements[0];
  const firstMessage = patterns
    .filter(
      (logPattern) => isWorse(logPattern) && isBad(logPattern.level) && isAmong(names, logPattern.service),
    )
    .flatMap(({ first }) => (first !== null && first <= latest ? [first] : []));
  // Slightly less work or fewer requests may be a quiet minute: then the first message after it is the onset.
  const isOrdinary =
    firstSymptom !== undefined &&
    firstSymptom !== alertedMovement &&
    !isSymptom(firstSymptom) &&
    (firstSymptom.factor < minFactor ||
      (firstSymptom.kind === 'demand' && firstSymptom.direction === 'down'));
  if (
    firstSymptom !== undefined &&
    !(isOrdinary && firstMessage.length > 0 && Math.min(...firstMessage) > firstSymptom.onset)
  )
    return { at: Math.min(firstSymptom.onset, alert.at), from: 'series' };
  if (firstMessage.length > 0) return { at: Math.min(...firstMessage, alert.at), from: 'alert' };
  const firstMovement = movements.filter(({ onset }) => onset <= latest)[0];
  return firstMovement === undefined
    ? { at: alert.at, from: 'alert' }
    : { at: Math.min(firstMovement.onset, alert.at), from: 'series' };
}
