import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/**
 * Git's ignore rules along a walk from the top down: `.git/info/exclude`, the `.gitignore` of each folder
 * above the root up to the repository's top, and of each folder on the way. A deeper file decides over a
 * shallower one. Without a repository the `.gitignore` files in the tree hold all the same.
 */

interface Layer {
  /** The folder the rules speak of, relative to the top, with a slash at its end; empty for the top. */
  readonly base: string;
  readonly rules: Ignore;
  readonly mayMatch: NameFilter;
}

/** False if no rule can match the entry itself; `name` is the last segment of `path`. */
type NameFilter = (path: string, name: string) => boolean;

/** A file of rules that was looked for: whether it exists and is unchanged says whether a walk still holds. */
export interface RuleSource {
  readonly path: string;
  /** `size:modified:changed:inode`, or empty if there is no such file. */
  readonly stamp: string;
}

export const ruleFileName = '.gitignore';

export interface IgnoreRules {
  readonly layers: readonly Layer[];
  /** From the repository's top to the root of the walk, with a slash at its end; empty if they are the same. */
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

/** Bytes. No file of rules is longer. */
const maxRuleBytes = 1024 * 1024;

/** Null if it is no ordinary file: reading a pipe or a device could block, or fill the memory. */
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
 * Most names match no rule, and the full test costs as much as reading the file. A rule can only match an
 * entry whose name fits the rule's last segment, or, where that is `**`, one below a folder that fits the
 * segment before it. This may say yes too often, never no.
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

/** The folder that holds `.git`, at or above `root`, or null. */
function findRepository(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** In a worktree or submodule, `.git` is a file that names the folder, which may in turn name a common one. */
function findExcludeFile(top: string): string {
  const dotGit = join(top, '.git');
  const pointer = readOrdinaryFile(dotGit);
  if (pointer === null) return join(dotGit, 'info', 'exclude');
  const folder = resolve(top, pointer.replace(/^gitdir:\s*/, '').trim());
  const common = readOrdinaryFile(join(folder, 'commondir'));
  return join(common === null ? folder : resolve(folder, common.trim()), 'info', 'exclude');
}

/** The rules that hold at the root before its own `.gitignore`, and where they were looked for. */
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

/** The rules below `folder` (relative to the root, empty for it), which has a `.gitignore` of its own. */
export function addFolderRules(above: IgnoreRules, root: string, folder: string): IgnoreRules {
  const base = above.prefix + (folder === '' ? '' : `${folder}/`);
  return { ...above, layers: [...above.layers, ...readRules(join(root, folder, ruleFileName), base)] };
}

/** Whether git would ignore the path, given that it does not ignore the folder it lies in. */
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
    // A folder that this layer ignores was entered, so a deeper layer took it back in, and what is in it.
    const slash = local.lastIndexOf('/');
    if (slash > 0 && layer.test(local.slice(0, slash + 1)).ignored) continue;
    return true;
  }
  return false;
}
