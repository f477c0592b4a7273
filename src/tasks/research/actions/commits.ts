import type { CommitNote, PastReply } from '../../../core/index.ts';
import type { ActionContext, ActionOutcome } from './action.ts';
import { count, listing, lowered } from './bounds.ts';

/** Commits asked of the port, and kept as evidence. */
export const commitsAsked = 30;
const kept = 8;

/** Commits as a listing and as evidence: each commit's own text, at that commit. */
export async function commitsFound(
  reply: PastReply<CommitNote>,
  reason: string,
  { scope, collect }: Pick<ActionContext, 'scope' | 'collect'>,
): Promise<ActionOutcome> {
  const commits = reply.items.filter((note) => scope.text === undefined || note.paths.some(scope.admits));
  const lines = listing(
    commits.map((note) => {
      const paths = note.paths.filter(scope.admits);
      const more = paths.length > 4 ? ` and ${paths.length - 4} more` : '';
      return `${note.commit.slice(0, 12)} ${note.date.slice(0, 10)} ${note.author}: ${note.subject} (${paths.slice(0, 4).join(', ')}${more})`;
    }),
    commitsAsked,
    'commits',
  );
  const { evidence, notes } = await collect(
    commits.slice(0, kept).map((note) => ({
      path: `commit:${note.commit}`,
      start: 1,
      end: 40,
      reason,
      provenance: 'git',
      commit: note.commit,
      touches: note.paths,
    })),
  );
  return {
    kind: 'done',
    summary:
      commits.length === 0
        ? reply.completeness === 'unknown'
          ? 'the history cannot be read here'
          : 'no commit matches'
        : count(commits.length, 'commit'),
    text: lines.text,
    evidence,
    completeness: lowered(reply.completeness, lines.cut || reply.items.length >= commitsAsked),
    // That a commit's text is shorter than what was asked for is no loss.
    notes: [...reply.notes, ...lines.notes, ...notes],
  };
}
