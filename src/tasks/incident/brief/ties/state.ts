/** What the change does to a resource, and an object that reports to have run out of it since. */
import { nameOf, type Rule, shortly } from './tie.ts';

const slack = 90_000;

export const state: Rule = ({ change, nature, at }, { states }) =>
  nature.mechanisms
    .flatMap(({ shows, says, force }) => {
      const met = states.find(
        ({ condition, first }) =>
          condition.role !== 'good' && shows.test(condition.name) && (first === null || first >= at - slack),
      );
      return met === undefined
        ? []
        : [
            {
              kind: 'state' as const,
              from: `${nameOf(change)}: ${says}`,
              to: shortly(`${met.object}: ${met.condition.name}`),
              evidence: [change.evidence, met.evidence],
              strength: 0.65 * force,
            },
          ];
    })
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, 1);
