/** The abnormal observations as weighted texts: metrics that moved, new messages, failing calls. */
import type { Facts } from './facts.ts';
import { isSymptom, type Movement } from './movement.ts';
import { distinctiveWords, findIdentifiers } from './words.ts';

export interface Symptom {
  readonly text: string;
  readonly service: string | null;
  /** 0 to 1. */
  readonly weight: number;
  readonly words: ReadonlySet<string>;
  readonly evidence: string;
}

export interface AlertText {
  readonly text: string;
  readonly service: string | null;
}

const minute = 60_000;
export const isBad = (level: string | null): boolean =>
  /warn|err|crit|fatal|alert|emerg|panic/i.test(level ?? '');

/** A message with `#` in place of its numbers and hashes. */
export const maskNumbers = (text: string): string => text.replace(/[0-9a-f]{8,}|\d+/gi, '#');

export function findSymptoms(
  facts: Facts,
  movements: readonly Movement[],
  alert: AlertText,
  onset: number | null,
): readonly Symptom[] {
  const toSymptom = (text: string, service: string | null, weight: number, evidence: string): Symptom => ({
    text,
    service,
    weight,
    evidence,
    words: new Set([...distinctiveWords(text), ...findIdentifiers(text)]),
  });
  const firstOnset = movements[0]?.onset ?? Infinity;
  const earliestTime = (onset ?? -Infinity) - 10 * minute;
  const shapes = new Set<string>();
  const isNewShape = (text: string): boolean => {
    const shape = maskNumbers(text);
    if (shapes.has(shape)) return false;
    shapes.add(shape);
    return true;
  };
  return [
    toSymptom(alert.text, alert.service, 0.6, ''),
    ...movements.map((movement) =>
      toSymptom(
        `${movement.service ?? ''} ${movement.metric}`,
        movement.service,
        movement.onset <= firstOnset + 2 * minute ? 1 : isSymptom(movement) ? 0.6 : 0.4,
        movement.evidence,
      ),
    ),
    ...facts.patterns
      .filter(isWorse)
      .map((logPattern) =>
        toSymptom(
          `${logPattern.template} ${logPattern.example}`,
          logPattern.service,
          isBad(logPattern.level) ? 1 : 0.3,
          logPattern.evidence,
        ),
      ),
    ...facts.lines
      .filter(
        ({ at, level, text }) => isBad(level) && (at === null || at >= earliestTime) && isNewShape(text),
      )
      .map((logLine) => toSymptom(logLine.text, logLine.service, 1, logLine.evidence)),
    ...facts.spans
      .filter(
        ({ at, failed, name, service }) =>
          (failed || at >= earliestTime) && isNewShape(`${service} ${name} ${failed}`),
      )
      .map((span) =>
        toSymptom(
          `${span.name} ${Object.entries(span.attributes)
            .map(([name, value]) => `${name}=${value}`)
            .join(' ')}`,
          span.service,
          span.failed ? 0.8 : 0.5,
          span.evidence,
        ),
      ),
  ];
}

/**
 * Whether a message is new, or far more frequent now. Messages about feature flags and startups do not count, since
 * they report changes.
 */
export function isWorse(pattern: {
  readonly count: number;
  readonly baseline: number | null;
  readonly template: string;
}): boolean {
  if (/feature flag|^starting\b|started|listening on/i.test(pattern.template)) return false;
  return pattern.baseline === null || pattern.count >= 2 * pattern.baseline + 2;
}

/** Texts from before the onset, to tell which later ones are new. */
export function joinOrdinaryTexts(facts: Facts, onset: number | null): string {
  if (onset === null) return '';
  return [
    // An error just before the onset of a series belongs to the problem: the series is sampled, log lines are not.
    ...facts.lines
      .filter(({ at, level }) => at !== null && at < onset - (isBad(level) ? 10 * minute : 0))
      .map(({ text }) => text),
    ...facts.spans
      .filter(({ at }) => at < onset - 10 * minute)
      .map(
        ({ name, attributes }) =>
          `${name} ${Object.entries(attributes)
            .map(([key, value]) => `${key}=${value}`)
            .join(' ')}`,
      ),
  ].join('\n');
}
