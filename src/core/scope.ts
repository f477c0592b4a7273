/**
 * Scopes: comma-separated path globs that confine a search, a grep, a reader and the git history to the same part of
 * the material. Every room uses this one matcher, so that all of them agree.
 *
 * - A path must match one term, and no negated term (`!lib/vendor`). With negated terms only, all other paths match.
 * - A term whose last segment holds no wildcard names a file or a folder: itself and all below it.
 *   `src`, `packages/*\/src`. A trailing slash says the same.
 * - A glob without a slash matches names at any depth, as in `.gitignore`: `*.py`, `!*.test.ts`.
 * - Otherwise globs are relative to the root: `src/*.ts` is not `src/a/b.ts`. Names with a dot match like others.
 * - A comma within braces belongs to the term: `src/{a,b}/**`. A term also matches the very path it spells, so
 *   that folders named `[id]` or `(group)` need no escaping.
 * - Files whose names mark them as secret are in no scope, whatever its terms are.
 */
import picomatch from 'picomatch';
import { SondeError } from './errors.ts';
import { isWithheld } from './secrets/withheld.ts';

/** Says whether a path, relative to the root and with `/`, lies in the scope. */
export type ScopeMatcher = (path: string) => boolean;

/** Maximum characters of a scope. */
const maxScopeLength = 4_096;
/** Characters of a wildcard. `!`, `+` and `@` form one only before a parenthesis, which is in the list. */
const wildcard = /[*?[\]{}()]/;

/**
 * Throws `bad_pattern` if a term cannot be parsed or leads out of the root. Without a scope, everything matches
 * except withheld files.
 */
export function scopeMatcher(scope?: string): ScopeMatcher {
  const { included, excluded } = parseScope(scope);
  const inside = included.map(termMatcher);
  const outside = excluded.map(termMatcher);
  return (path) =>
    !isWithheld(path) &&
    (inside.length === 0 || inside.some((matches) => matches(path))) &&
    !outside.some((matches) => matches(path));
}

/**
 * For a scope that matches none of these paths: up to three that it would match if case were ignored. Without this
 * hint, a scope in the wrong case looks like an empty folder.
 */
export function findInOtherCase(scope: string, paths: readonly string[]): readonly string[] {
  const matches = scopeMatcher(scope.toLowerCase());
  return paths.filter((path) => !isWithheld(path) && matches(path.toLowerCase())).slice(0, 3);
}

/** Throws `bad_pattern` if a scope matches none of these paths, so that a mistake is not answered as an empty result. */
export function checkScopeMatches(scope: string | undefined, paths: readonly string[]): void {
  if (scope === undefined) return;
  if (paths.some(scopeMatcher(scope))) return;
  const inOtherCasePaths = findInOtherCase(scope, paths);
  throw new SondeError('bad_pattern', {
    message: `no text file is in the scope ${JSON.stringify(scope)}`,
    remedy:
      inOtherCasePaths.length > 0
        ? `Upper and lower case count: write it as in ${inOtherCasePaths.join(', ')}.`
        : 'Give globs relative to the folder, such as src/** or *.py; sonde tree lists what is there.',
  });
}

/**
 * The folders or files, without wildcards, that contain everything in the scope: where a walk may start. Null for the
 * whole root.
 */
export function scopeBases(scope?: string): readonly string[] | null {
  const bases = parseScope(scope).included.map((term) => {
    if (!term.includes('/') && wildcard.test(term)) return '';
    const segments = term.split('/');
    const firstWildcard = segments.findIndex((segment) => wildcard.test(segment));
    return (firstWildcard < 0 ? segments : segments.slice(0, firstWildcard)).join('/');
  });
  if (bases.length === 0 || bases.includes('')) return null;
  const shortest = [...new Set(bases)].sort();
  return shortest.filter((base) => !shortest.some((other) => base.startsWith(`${other}/`)));
}

function parseScope(scope: string | undefined): { included: string[]; excluded: string[] } {
  const included: string[] = [];
  const excluded: string[] = [];
  for (const term of splitTerms(scope ?? '')) {
    const negated = term.startsWith('!') && !term.startsWith('!(');
    const path = cleanTerm(negated ? term.slice(1) : term, scope ?? '');
    if (path !== null) (negated ? excluded : included).push(path);
  }
  return { included, excluded };
}

/** Splits a scope at commas outside of braces, brackets and parentheses. */
function splitTerms(scope: string): string[] {
  if (scope.length > maxScopeLength)
    throw badScope(scope.slice(0, 60), `it is longer than ${maxScopeLength} characters`);
  const terms: string[] = [];
  let depth = 0;
  let term = '';
  for (const character of scope) {
    if ('{[('.includes(character)) depth += 1;
    if ('}])'.includes(character)) depth -= 1;
    if (character === ',' && depth <= 0) {
      terms.push(term);
      term = '';
    } else term += character;
  }
  return [...terms, term].map((text) => text.trim()).filter((text) => text !== '');
}

/** A term as a path from the root. Null for an empty term, which confines nothing. */
function cleanTerm(term: string, scope: string): string | null {
  const path = term
    .trim()
    .replace(/^(\.?\/+)+/, '')
    .replace(/\/+$/, '')
    .replace(/\/{2,}/g, '/');
  if (path.includes('\0')) throw badScope(scope, 'it holds a NUL byte');
  if (path.split('/').includes('..')) throw badScope(scope, `"${term}" leads out of the root`);
  if (path === '' || path === '.') return term.trim() === '' ? null : '**';
  return path;
}

function termMatcher(term: string): ScopeMatcher {
  const globs = wildcard.test(term.slice(term.lastIndexOf('/') + 1)) ? [term] : [term, `${term}/**`];
  const isBareName = globs.length === 1 && !term.includes('/');
  let matches: (path: string) => boolean;
  try {
    matches = picomatch(globs, { dot: true, basename: isBareName, strictBrackets: true, nonegate: true });
  } catch (thrown) {
    throw badScope(term, thrown instanceof Error ? thrown.message : String(thrown));
  }
  return (path) => path === term || path.startsWith(`${term}/`) || matches(path);
}

function badScope(scope: string, reason: string): SondeError {
  return new SondeError('bad_pattern', {
    message: `The scope "${scope}" cannot be used: ${reason}.`,
    remedy: 'Give path globs relative to the root, separated by commas, e.g. "src/**,!src/vendor".',
    details: { scope },
  });
}
