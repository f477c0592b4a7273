import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/**
 * Git's ignore rules for a walk from the root down: `.git/info/exclude`, the `.gitignore` of each folder from the
 * repository's top to the root, and of each folder of the walk. A deeper file takes precedence. Without a repository, the
 * `.gitignore` files in the tree still apply.
 */

interface Layer {
  /** The folder to which the rules apply, relative to the top, with a trailing slash; empty for the top. */
  readonly base: string;
  readonly rules: Ignore;
  readonly mayMatch: NameFilter;
}

/** False if no rule can match the entry. `name` is the last segment of `path`. */
type NameFilter = (path: string, name: string) => boolean;

/** A file of rules that was read or found missing. If its stamp has changed, the walk must be repeated. */
export interface RuleSource {
  readonly path: string;
  /** `size:modified:changed:inode`, or empty if there is no such file. */
  readonly stamp: string;
}

export const ruleFileName = '.gitignore';

export interface IgnoreRules {
  readonly layers: readonly Layer[];
  /** The path from the repository's top to the root, with a trailing slash; empty if they are the same. */
  readonly prefix: string;
}

export function sourceStamp(path: string): string {
  try {
    const stat = lstatSync(path);
    return `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
  } catch {
    return '';
  }
}

/** The default of git's `core.ignorecase` on this platform. */
const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';

/** Larger files of rules are ignored. */
const maxRuleBytes = 1024 * 1024;

/** Null if it is not a regular file: reading a pipe or a device could block, or fill the memory. */
function readOrdinaryFile(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(file);
      return stat.isFile() && stat.size <= maxRuleBytes ? readFileSync(file, 'utf8') : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

function readRules(path: string, base: string): Layer[] {
  const text = readOrdinaryFile(path);
  if (text === null) return [];
  const rules = ignore({ ignorecase: ignoresCase }).add(text);
  return [{ base, rules, mayMatch: createNameFilter(text) }];
}

/**
 * Creates a quick filter: most names match no rule, and the full test takes as long as reading the file. A rule can only
 * match an entry whose name fits its last segment, or, if that is `**`, an entry below a folder that fits the segment
 * before it. The filter may return true too often, but never false wrongly.
 */
function createNameFilter(text: string): NameFilter {
  const names = new Set<string>();
  const sources: string[] = [];
  for (const line of text.split('\n')) {
    const rule = line.trim().replace(/\/+$/, '');
    if (rule === '' || rule.startsWith('#')) continue;
    const segments = rule.replace(/^!/, '').split('/');
    const last = segments.pop()!;
    if (/^\*\*+$/.test(last)) sources.push(`${toRegexSource(segments.pop() ?? '**')}/.*`);
    else if (/[*?[\\]/.test(last)) sources.push(toRegexSource(last));
    else names.add(ignoresCase ? last.toLowerCase() : last);
  }
  const wild =
    sources.length === 0 ? null : new RegExp(`(?:^|/)(?:${sources.join('|')})$`, ignoresCase ? 'isu' : 's');
  return (path, name) => names.has(ignoresCase ? name.toLowerCase() : name) || wild?.test(path) === true;
}

/** One segment of a rule as a regular expression. */
function toRegexSource(segment: string): string {
  return segment.replace(/\\(.)|\[!?([^\]]*)\]|\*+|\?|[.+^${}()|[\]\\]/gs, (match, escaped, set) => {
    if (escaped !== undefined) return escaped.replace(/\W/, '\\$&');
    if (set !== undefined) return '[^/]';
    return match === '?' ? '[^/]' : match.startsWith('*') ? '[^/]*' : `\\${match}`;
  });
}

/** The folder with `.git`, at or above `root`; null if there is none. */
function findRepository(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** In a worktree or submodule, `.git` is a file with the path of the git folder, which may refer to a common folder. */
function findExcludeFile(top: string): string {
  const dotGit = join(top, '.git');
  const pointer = readOrdinaryFile(dotGit);
  if (pointer === null) return join(dotGit, 'info', 'exclude');
  const folder = resolve(top, pointer.replace(/^gitdir:\s*/, '').trim());
  const common = readOrdinaryFile(join(folder, 'commondir'));
  return join(common === null ? folder : resolve(folder, common.trim()), 'info', 'exclude');
}

/** The rules that apply at the root without its own `.gitignore`, and the files where they may be. */
export function readRulesAbove(root: string): { rules: IgnoreRules; sources: RuleSource[] } {
  const top = findRepository(root);
  if (top === null) return { rules: { layers: [], prefix: '' }, sources: [] };
  const prefix = relative(top, root).split(sep).join('/');
  const files = [{ path: findExcludeFile(top), base: '' }];
  const steps = prefix === '' ? [] : prefix.split('/');
  for (let k = 0; k < steps.length; k++) {
    const base = steps.slice(0, k).join('/');
    files.push({ path: join(top, base, ruleFileName), base: base === '' ? '' : `${base}/` });
  }
  const sources = files.map(({ path }) => ({ path, stamp: sourceStamp(path) }));
  const layers = files.flatMap(({ path, base }) => readRules(path, base));
  return { rules: { layers, prefix: prefix === '' ? '' : `${prefix}/` }, sources };
}

/** Adds the rules of the `.gitignore` in `folder`, which is relative to the root and empty for the root. */
export function addFolderRules(above: IgnoreRules, root: string, folder: string): IgnoreRules {
  const base = above.prefix + (folder === '' ? '' : `${folder}/`);
  return { ...above, layers: [...above.layers, ...readRules(join(root, folder, ruleFileName), base)] };
}

/** Whether git would ignore the path. Its folder must not be ignored. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  const full = rules.prefix + path;
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (let k = rules.layers.length - 1; k >= 0; k--) {
    const { base, rules: layer, mayMatch } = rules.layers[k]!;
    const local = full.slice(base.length);
    if (!mayMatch(local, name)) continue;
    const result = layer.test(isFolder ? `${local}/` : local);
    if (result.unignored) return false;
    if (!result.ignored) continue;
    // The walk entered a folder that this layer ignores, so a deeper layer included the folder and its content.
    const slash = local.lastIndexOf('/');
    if (slash > 0 && layer.test(local.slice(0, slash + 1)).ignored) continue;
    return true;
  }
  return false;
}
