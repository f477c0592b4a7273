/**
 * How likely the blame is right, from what ties the change and what else could be blamed. The numbers come
 * from incidents that the rules were not made from; docs/incidents.md gives the formula.
 */
import type { Cause, Known } from './judge.ts';

const clamp = (value: number): number => Math.round(Math.min(0.95, Math.max(0.05, value)) * 100) / 100;

export function confidenceOf(cause: Cause, { blamed, causes, facts }: Known): number {
  switch (cause.kind) {
    case 'change': {
      const { tied, ties, id } = cause.of;
      const rival = Math.max(
        0,
        ...blamed.filter((one) => one.id !== id && one.before).map((one) => one.tied),
      );
      const kinds = new Set(ties.filter(({ strength }) => strength >= 0.3).map(({ kind }) => kind)).size;
      return clamp(0.26 + 0.55 * tied - 0.25 * Math.max(0, rival - 0.3) + 0.1 * Math.min(2, kinds - 1));
    }
    case 'outside':
      return clamp(
        0.25 +
          0.6 * cause.of.score -
          0.25 * Math.max(0, ...blamed.filter(({ before }) => before).map(({ tied }) => tied)),
      );
    case 'state': {
      const [first, second] = causes.filter(({ condition }) => condition.role === 'root');
      const isOnly = second === undefined || second.category === first?.category;
      return clamp(0.15 + 0.75 * cause.of.score + (isOnly ? 0.1 : -0.1));
    }
    case 'healthy':
      return clamp(facts.tables.length > 0 ? 0.75 : 0.6);
  }
}
