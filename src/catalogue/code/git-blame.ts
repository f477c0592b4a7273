import { z } from 'zod';
import { type BlameLine, plainLine } from '../../core/index.ts';
import { formatCount, partialIfCut } from '../bounds.ts';
import { done, type EntryOutput, failed } from '../entry.ts';
import { codeEntry, filePath, requirePort } from './code-ports.ts';
import { toCommitSpan } from './commits.ts';

const maxLines = 500;
const nothing: EntryOutput = { evidence: [], notes: [], cut: false };

export const gitBlame = codeEntry({
  name: 'git_blame',
  description: 'Commit, date and author of each line of a span of a file.',
  parameters: z.object({
    file_path: filePath,
    start_line: z.int().min(1).describe('First line, from 1'),
    end_line: z.int().min(1).describe('Last line, included'),
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '20 ms and more for long histories',
  needs: ['past'],
  // The span, and the commits that wrote the largest part of its lines.
  pieces: { tool: 0, action: 4 },
  asAction: { lines: 80 },
  async run({ file_path, start_line: start, end_line }, context) {
    const { ports, scope, pieces, collect, signal } = context;
    const path = context.path(file_path, scope);
    if (end_line < start)
      return failed(`Lines ${start}-${end_line} run backwards: the first line comes first.`);
    // The lines are read first, so that a path outside the scope never reaches git.
    const span =
      pieces === 0
        ? nothing
        : await collect([{ path, start, end: end_line, reason: 'blamed', provenance: 'git' }]);
    const [read] = span.evidence;
    if (read === undefined && pieces > 0) return failed(span.notes[0] ?? `${path} gave no lines.`);
    const end = read?.end_line ?? Math.min(end_line, start + maxLines - 1);
    const { items, completeness, notes } = await requirePort(ports.past).blame({
      path,
      start,
      end,
      ...(signal && { signal }),
    });
    const commits = rankCommits(items);
    // The file is in scope, and so are the commits of its lines.
    const past = await collect(
      commits
        .slice(0, Math.max(0, pieces - 1))
        .map((commit) => toCommitSpan(commit, `last changed lines of ${path}`, [path])),
    );
    return done({
      summary: `${formatCount(items.length, 'line')} from ${formatCount(commits.length, 'commit')}`,
      lines: items.map(
        ({ line, commit, date, author, text }) =>
          `${line} ${commit.slice(0, 12)} ${date.slice(0, 10)} ${plainLine(author)}: ${text.trimEnd()}`,
      ),
      nothing: 'No line.',
      data: { lines: items },
      evidence: [...span.evidence, ...past.evidence],
      completeness:
        pieces === 0 && end < end_line ? 'partial' : partialIfCut(completeness, span.notes.length > 0),
      notes: [...notes, ...span.notes, ...past.notes],
    });
  },
});

/** The commits, those with the most lines first. */
function rankCommits(items: readonly BlameLine[]): readonly string[] {
  const lines = new Map<string, number>();
  for (const { commit } of items) lines.set(commit, (lines.get(commit) ?? 0) + 1);
  return [...lines].sort((a, b) => b[1] - a[1]).map(([commit]) => commit);
}
