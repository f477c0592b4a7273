import type { LogPattern } from '../../core/index.ts';
import { maskLine } from '../logs/mask-line.ts';

/**
 * Joins given patterns with those mined from the logs. The given count is kept, since it covers more lines. The
 * example, and times that are missing, come from the mined one. Mined patterns that match no given one stay as they
 * are.
 */
export function joinPatterns(
  givenPatterns: readonly LogPattern[],
  mined: readonly LogPattern[],
): readonly LogPattern[] {
  const unmatched = new Set(mined);
  const joined = givenPatterns.map((givenPattern) => {
    const templateShape = templateRegExp(givenPattern.template);
    const matching = mined.filter(
      (other) =>
        unmatched.has(other) &&
        (givenPattern.service === null || other.service === null || givenPattern.service === other.service) &&
        (templateShape.test(other.example) || templateShape.test(other.template)),
    );
    if (matching.length === 0) return givenPattern;
    for (const other of matching) unmatched.delete(other);
    const times = (key: 'first' | 'last') => matching.flatMap((other) => other[key] ?? []);
    return {
      ...givenPattern,
      level: matching[0]!.level ?? givenPattern.level,
      first: givenPattern.first ?? (times('first').length > 0 ? Math.min(...times('first')) : null),
      last: givenPattern.last ?? (times('last').length > 0 ? Math.max(...times('last')) : null),
      example: matching[0]!.example,
    };
  });
  return [...joined, ...unmatched];
}

/** In a template, `<N>`, `<*>`, `<version>`, `$1`, `...` and words with a digit match any text. */
function templateRegExp(template: string): RegExp {
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
