/** Commits of a repository after a snapshot, with the files they changed and the lines of the snapshot they touched. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Change {
  readonly sha: string;
  readonly message: string;
  /** Source files that were there at the snapshot, tests and documentation left out. */
  readonly files: readonly string[];
  /** By file, lines of the snapshot that were changed, or after which something was put in. */
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>;
}

const source =
  /\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|go|rs|java|kt|kts|scala|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php|swift|m|mm|sh|lua)$/;
const aside =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|testdata|fixtures|docs?|documentation|examples?|benches|benchmarks?|changelog_unreleased)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec|tests)\.\w+$/i;
const noMatter =
  /^(?:release|bump|version|prepare|merge|revert|v?\d)|^.*(?:bump|release|changelog|typo|format|lint)/i;
const trailers = /^(?:Signed-off-by|Co-authored-by|Change-Id|Reviewed-by).*$/gim;
const maxFiles = 5;
const minMessage = 15;
/** A shorter line stands in many places. */
const minLine = 6;

const git = (directory: string, ...given: string[]): string =>
  execFileSync('git', ['--git-dir', directory, ...given], {
    maxBuffer: 1 << 29,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();

/** Checks out the snapshot `back` commits before the newest, with its past and nothing after it. */
export function checkOut(directory: string, back: number, root: string): string {
  const main = git(directory, 'rev-list', '--first-parent', 'HEAD').trim().split('\n');
  const snapshot = main[Math.min(back, Math.floor(main.length / 3))]!;
  if (!existsSync(root)) {
    execFileSync('git', ['clone', '-q', '--no-checkout', directory, root]);
    execFileSync('git', ['-C', root, 'checkout', '-q', '--detach', snapshot]);
  }
  return snapshot;
}

/** At most `count` of the commits after the snapshot, spread over them. */
export function changesAfter(directory: string, snapshot: string, root: string, count: number): Change[] {
  const log = git(
    directory,
    'log',
    '--no-merges',
    '--reverse',
    '--diff-filter=M',
    '--name-only',
    '--format=%x00%H%x01%B%x01',
    `${snapshot}..HEAD`,
  );
  const fitting = log
    .split('\0')
    .slice(1)
    .flatMap((entry) => {
      const [sha = '', body = '', paths = ''] = entry.split('\x01');
      return commitOf(sha, body, paths.trim().split('\n'), root) ?? [];
    });
  const stride = Math.max(1, fitting.length / (count * 2));
  const changes: Change[] = [];
  for (let n = 0; n < fitting.length && changes.length < count; n += stride) {
    const commit = fitting[Math.floor(n)]!;
    const lines = new Map(
      commit.files.map((path) => [path, changedLines(directory, commit.sha, root, path)] as const),
    );
    if ([...lines.values()].some(({ size }) => size > 0)) changes.push({ ...commit, lines });
  }
  return changes;
}

function commitOf(
  sha: string,
  body: string,
  paths: readonly string[],
  root: string,
): Omit<Change, 'lines'> | null {
  const message = body.replace(trailers, '').trim();
  if (message.length < minMessage || noMatter.test(message.split('\n')[0]!)) return null;
  const files = paths.filter(
    (path) => source.test(path) && !aside.test(path) && existsSync(join(root, path)),
  );
  return files.length < 1 || files.length > maxFiles ? null : { sha, message, files };
}

/** Found by their text, since other commits lie between: a line that stands once in the file of the snapshot. */
function changedLines(directory: string, sha: string, root: string, path: string): ReadonlySet<number> {
  const places = new Map<string, number[]>();
  for (const [n, line] of readFileSync(join(root, path), 'utf8').split('\n').entries()) {
    const text = line.trim();
    if (text.length < minLine) continue;
    places.set(text, [...(places.get(text) ?? []), n + 1]);
  }
  const found = new Set<number>();
  const diff = git(directory, 'diff', '-U1', `${sha}^`, sha, '--', path).split('\n');
  for (const [n, line] of diff.entries()) {
    if (line.startsWith('---') || line.startsWith('+++')) continue;
    const isTouched = line.startsWith('-') || (line.startsWith(' ') && diff[n + 1]?.startsWith('+') === true);
    const place = isTouched ? places.get(line.slice(1).trim()) : undefined;
    if (place?.length === 1) found.add(place[0]!);
  }
  return found;
}
