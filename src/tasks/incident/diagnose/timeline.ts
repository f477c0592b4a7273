/** The timeline: changes, onsets, new messages, the alert. */

import type { IncidentMoment, IncidentWindow } from '../../../core/index.ts';
import type { Alert } from '../alert/alert.ts';
import type { Facts } from '../brief/facts.ts';
import type { Judgement } from '../brief/judge.ts';
import { pageWords } from '../brief/page-words.ts';
import { isBad, maskNumbers } from '../brief/symptoms.ts';
import { formatCourse } from './program-diagnosis.ts';

const maxEntries = 30;
const minute = 60_000;
/** Commits with a lower score stay in the evidence, but are left out here. */
const minScore = 0.03;

interface Moment {
  readonly at: number;
  readonly what: string;
  readonly evidence: readonly string[];
  /** If there are too many entries, those with the lowest weight are dropped. */
  readonly weight: number;
}

export function createTimeline(
  judgement: Judgement,
  facts: Facts,
  alert: Alert | null,
  alertEvidence: readonly string[],
  window: IncidentWindow | null,
): readonly IncidentMoment[] {
  const suspicion = new Map(judgement.blamed.map(({ id, score }) => [id, score]));
  const since = Math.min(judgement.onset - 90 * minute, window?.from ?? Infinity);
  const moments: Moment[] = [
    ...facts.changes
      .filter(
        ({ kind, id, at }) =>
          at >= since &&
          (window === null || at < window.to) &&
          (kind !== 'commit' || (suspicion.get(id) ?? 0) >= minScore),
      )
      .map((change): Moment => {
        const suspected = Math.max(0, ...[change.id, ...change.commits].map((id) => suspicion.get(id) ?? 0));
        const weight = suspected + (change.kind === 'commit' ? 0 : 0.4);
        const ofService = change.service === null ? '' : ` of ${change.service}`;
        const brought =
          change.kind === 'commit'
            ? ''
            : change.commits.length === 0
              ? ''
              : ` ${pageWords.brings} ${change.commits.map((id) => id.slice(0, 12)).join(' ')}`;
        return {
          at: change.at,
          what: `${change.kind} ${change.kind === 'commit' ? change.id.slice(0, 12) : change.id}${ofService}${brought}${formatTitle(change)}`,
          evidence: [change.evidence],
          weight,
        };
      }),
    ...judgement.movements.map(
      (movement): Moment => ({
        at: movement.onset,
        what: formatCourse(movement),
        evidence: [movement.evidence],
        weight: 1,
      }),
    ),
    ...listFirstMessages(facts),
    ...(alert?.started == null
      ? []
      : [{ at: alert.started, what: `alert ${alert.name}`, evidence: alertEvidence, weight: 2 }]),
  ];
  return moments
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, maxEntries)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, what, evidence }) => ({
      at: new Date(at).toISOString().replace(/\.000Z$/, 'Z'),
      what: what.replace(/\s+/g, ' ').slice(0, 240),
      evidence: evidence.filter((id) => id !== ''),
    }));
}

/** The title is left out if it only repeats the words before it. */
function formatTitle({ kind, id, service, title }: Facts['changes'][number]): string {
  // Removed only at the beginning: within a sentence these words are part of it.
  const repeated = [kind, id, service ?? ''].filter((part) => part !== '');
  const findRepeated = (text: string): string | undefined =>
    repeated.find((part) => text.startsWith(part) && /^[\s:,]|^$/.test(text.slice(part.length)));
  let rest = title.trim();
  for (let part = findRepeated(rest); part !== undefined; part = findRepeated(rest)) {
    rest = rest.slice(part.length).replace(/^[\s:,]+/, '');
  }
  return rest === '' ? '' : `: ${rest}`;
}

/** The first message of each kind. */
function listFirstMessages(facts: Facts): readonly Moment[] {
  const seen = new Set<string>();
  return facts.lines
    .filter(({ at, level }) => at !== null && isBad(level))
    .toSorted((a, b) => a.at! - b.at!)
    .flatMap(({ at, service, text, evidence }): Moment[] => {
      const shape = `${service}/${maskNumbers(text).slice(0, 60)}`;
      if (seen.has(shape)) return [];
      seen.add(shape);
      return [{ at: at!, what: `${service ?? 'a log'} logs: ${text}`, evidence: [evidence], weight: 0.8 }];
    });
}
