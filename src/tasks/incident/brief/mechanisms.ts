/**
 * The ways in which a change can break a system: each with its traces in a diff and the symptoms to expect in metrics
 * and logs. They apply to programming in general. To support a new kind of incident, add an entry to one of the lists.
 */
import type { Diff } from './edits/diff.ts';
import { agreements } from './mechanisms/agreements.ts';
import type { Mechanism, MechanismKind } from './mechanisms/mechanism.ts';
import { settings } from './mechanisms/settings.ts';
import { work } from './mechanisms/work.ts';

export const mechanismKinds: readonly MechanismKind[] = [...settings, ...work, ...agreements];

/** The mechanisms that the diff shows, the strongest first. */
export function findMechanisms(diff: Diff): readonly Mechanism[] {
  return mechanismKinds
    .flatMap(({ symptoms, find }) => {
      const found = find(diff);
      return found === null ? [] : [{ ...found, symptoms }];
    })
    .sort((a, b) => b.severity - a.severity);
}

/** Words that occur in any incident. */
const commonWords =
  /^(errors?|fail\w*|latenc\w*|duration|slow|p\d+|wait|requests?|rate|load|cpu|unavailable|5\d\d|wrong|invalid|per_)$/i;

/** Counts the different symptom words of this mechanism in the texts, without words that occur in any incident. */
export function countSymptomKinds(texts: readonly string[], shape: RegExp): number {
  const globalShape = new RegExp(shape.source, 'gi');
  return new Set(
    texts.flatMap((text) =>
      (text.match(globalShape) ?? [])
        .map((word) => word.toLowerCase())
        .filter((word) => !commonWords.test(word)),
    ),
  ).size;
}
