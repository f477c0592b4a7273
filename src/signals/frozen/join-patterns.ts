import type { LogPattern } from '../../core/index.ts';
import { maskLine } from '../logs/mask-line.ts';

/**
 * Joins given patterns with those mined from the logs. The given count is kept, since it covers more lines; times and
 * example come from the mined one. Mined patterns without a given one stay as they are.
 */
export function joinPatterns(
  logPatterns: readonly LogPattern[],
  mined: readonly LogPattern[],
): readonly LogPattern[] {
  const left = new Set(mined);
  const joined = logPatterns.map((logPattern) => {
    const shape = shapeOf(logPattern.template);
    const same = mined.filter(
      (other) =>
        left.has(other) &&
        (logPattern.service === null || other.service === null || logPattern.service === other.service) &&
        (shape.test(other.example) || shape.test(other.template)),
    );
    if (same.length === 0) return logPattern;
    for (const other of same) left.delete(other);
    const times = (key: 'first' | 'last') => same.flatMap((other) => other[key] ?? []);
    return {
      ...logPattern,
      level: same[0]!.level ?? logPattern.level,
      first: logPattern.first ?? (times('first').length > 0 ? Math.min(...times('first')) : null),
      last: logPattern.last ?? (times('last').length > 0 ? Math.max(...times('last')) : null),
      example: same[0]!.example,
    };
  });
  return [...joined, ...left];
}

/** `<N>`, `<*>`, `<version>`, `$1`, `...` and everything with a digit stand for anything. */
function shapeOf(template: string): RegExp {
  const parts = maskLine(template.replace(/<[A-Za-z*]+>|\$<?\w+>?|\.\.\./g, ' 0 '))
    .split(/<\*>|(?<![\w.])0(?![\w.])/)
    .map((part) =>
      part
        .trim()
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll(/\s+/g, '\\s*'),
    )
    .filter((part) => part !== '');
  return parts.length === 0 ? /^(?!)/ : new RegExp(parts.join(`[\\s\\S]{0,200}?`), 'i');
}
