import { z } from 'zod';
import { evidenceLines } from '../collect.ts';
import { action } from './action.ts';
import { count, listing, lowered, whole } from './bounds.ts';

/** Commits of the lines that are kept as evidence, those of most lines first. */
const kept = 3;

export const gitBlame = action({
  name: 'git_blame',
  about: `The commit, date and author of each line of a span (up to ${evidenceLines} lines).`,
  input: z.object({
    file_path: z.string().describe('Path relative to the root'),
    start_line: z.coerce.number().describe('First line, from 1'),
    end_line: z.coerce.number().describe('Last line, included'),
  }),
  available: (material) => material.past !== undefined,
  async run({ file_path, start_line, end_line }, { material, signal, collect }) {
    const path = file_path.trim().replace(/^(?:\.\/)+/, '');
    const start = whole(start_line, 1, Number.MAX_SAFE_INTEGER);
    const asked = whole(end_line, 1, Number.MAX_SAFE_INTEGER);
    if (asked < start)
      return {
        kind: 'failed',
        message: `Lines ${start}-${asked} run backwards: the first line comes first.`,
      };
    // Read first: a path outside the scope never reaches git.
    const span = await collect([{ path, start, end: asked, reason: 'blamed', provenance: 'git' }]);
    const [read] = span.evidence;
    if (read === undefined) return { kind: 'failed', message: span.notes[0] ?? `${path} gave no lines.` };
    const reply = await material.past?.blame({ path, start, end: read.end_line, signal });
    if (reply === undefined) return { kind: 'failed', message: 'There is no history of this material.' };

    const linesOf = new Map<string, number>();
    for (const { commit } of reply.items) linesOf.set(commit, (linesOf.get(commit) ?? 0) + 1);
    const commits = [...linesOf].sort((a, b) => b[1] - a[1]).map(([commit]) => commit);
    const lines = listing(
      reply.items.map(
        (item) =>
          `${item.line} ${item.commit.slice(0, 12)} ${item.date.slice(0, 10)} ${item.author}: ${item.text.trimEnd()}`,
      ),
      80,
      'lines',
    );
    // The line's own file is in scope, so its commits are.
    const past = await collect(
      commits.slice(0, kept).map((commit) => ({
        path: `commit:${commit}`,
        start: 1,
        end: 40,
        reason: `last changed lines of ${path}`,
        provenance: 'git',
        commit,
        touches: [path],
      })),
    );
    return {
      kind: 'done',
      summary: `${count(reply.items.length, 'line')} from ${count(commits.length, 'commit')}`,
      text: lines.text,
      evidence: [...span.evidence, ...past.evidence],
      completeness: lowered(reply.completeness, lines.cut || span.notes.length > 0),
      notes: [...reply.notes, ...span.notes, ...lines.notes, ...past.notes],
    };
  },
});
