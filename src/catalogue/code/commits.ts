import { z } from 'zod';
import { type CommitNote, type HistoryReply, plainLine } from '../../core/index.ts';
import { formatCount, partialIfCut } from '../bounds.ts';
import { done, type EntryDone } from '../entry.ts';
import type { CodeContext, NarrowedScope } from './code-ports.ts';

/** The number of commits: its default and its maximum. */
export const limit = z.int().min(1).max(200).default(30);
/** Maximum number of paths in the line of a commit. */
const maxPaths = 4;

/** Commits as a listing and as evidence: each commit's own text, at that commit. */
export async function listCommits(
  reply: HistoryReply<CommitNote>,
  {
    asked,
    reason,
    inside,
  }: { readonly asked: number; readonly reason: string; readonly inside: NarrowedScope },
  { collect, pieces }: Pick<CodeContext, 'collect' | 'pieces'>,
): Promise<EntryDone> {
  const commits = reply.items.filter(({ paths }) => inside.text === undefined || paths.some(inside.admits));
  const { evidence, notes } = await collect(
    commits.slice(0, pieces).map(({ commit, paths }) => toCommitSpan(commit, reason, paths)),
  );
  const unknown = reply.completeness === 'unknown';
  return done({
    summary:
      commits.length > 0
        ? formatCount(commits.length, 'commit')
        : unknown
          ? 'the history cannot be read here'
          : 'no commit matches',
    lines: commits.map((note) => formatCommit(note, inside)),
    noun: 'commits',
    nothing: unknown ? 'The history cannot be read.' : 'No commit.',
    data: { commits: commits.map((note) => ({ ...note, paths: note.paths.filter(inside.admits) })) },
    evidence,
    completeness: partialIfCut(reply.completeness, reply.items.length >= asked),
    // The find of a commit may claim more lines than its text has. Then nothing is lost.
    notes: [...reply.notes, ...notes],
  });
}

function formatCommit({ commit, date, author, subject, paths }: CommitNote, inside: NarrowedScope): string {
  const shown = paths.filter(inside.admits);
  const more = shown.length > maxPaths ? ` and ${shown.length - maxPaths} more` : '';
  return plainLine(
    `${commit.slice(0, 12)} ${date.slice(0, 10)} ${author}: ${subject} (${shown.slice(0, maxPaths).join(', ')}${more})`,
  );
}

export const toCommitSpan = (commit: string, reason: string, touches: readonly string[]) => ({
  path: `commit:${commit}`,
  start: 1,
  end: 40,
  reason,
  provenance: 'git' as const,
  commit,
  touches,
});
