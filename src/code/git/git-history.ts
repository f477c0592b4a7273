import { realpathSync } from 'node:fs';
import { SondeError } from '../../core/index.ts';
import type { HistoryReader, PastCommit } from '../../search/index.ts';
import { findRepository, firstErrorLine, type GitProgram, runGit } from './git.ts';
import { recordReader } from './log-records.ts';

export interface GitHistoryOptions {
  readonly root: string;
  /** Default 20 s; after that, the commits read so far are returned. */
  readonly timeoutMs?: number;
  readonly git?: GitProgram;
}

const defaultTimeoutMs = 20_000;

/** The fields of a record: id, time, an empty author, and the whole message in place of the subject. */
const wholeMessages = '--format=tformat:%x00%H%x00%ct%x00%x00%B';

/** The history of a folder for ranking: the commits that HEAD descends from. */
export function createHistoryReader(options: GitHistoryOptions): HistoryReader {
  const root = realpathSync(options.root);
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;

  return {
    async head() {
      const place = await findRepository(root, options.git);
      return place.kind === 'none' ? null : place.head;
    },

    async commits(limit, signal) {
      const place = await findRepository(root, options.git);
      if (place.kind === 'none' || place.head === null) return [];
      const commits: PastCommit[] = [];
      const reader = recordReader(({ commit, date, subject, paths }) => {
        commits.push({
          id: commit,
          time: Date.parse(date) / 1000,
          message: subject.trim(),
          paths: paths
            .filter((path) => path.startsWith(place.prefix))
            .map((path) => path.slice(place.prefix.length)),
        });
      });
      const child = await runGit(place, {
        args: [
          ...['log', '-z', '--no-color', '--encoding=UTF-8', '--no-show-signature', '--no-decorate'],
          ...['--no-merges', '--no-renames', '--no-ext-diff', '--no-textconv', '--name-only'],
          ...[wholeMessages, `--max-count=${limit}`, '--end-of-options', place.head, '--'],
          ...(place.prefix === '' ? [] : [place.prefix]),
        ],
        timeoutMs,
        signal,
        maxBytes: Number.MAX_SAFE_INTEGER,
        onOutput: (chunk) => {
          reader.take(chunk);
          return 'more';
        },
      });
      if (child.ended === 'exit') reader.finish();
      if (child.ended === 'exit' && child.code !== 0 && commits.length === 0) {
        throw new SondeError('tool_failed', {
          message: `git log ended with ${child.code}: ${firstErrorLine(child.stderr)}.`,
          remedy: 'See whether `git log` works in the folder.',
        });
      }
      return commits;
    },
  };
}
