import { z } from 'zod';
import { escapePath } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { codeEntry, maxLength, narrowScope, requirePort, scope } from './code-ports.ts';
import { toCommitSpan } from './commits.ts';

/** Maximum lines of one file's change that one piece of evidence holds. */
const maxLines = 120;

export const gitShow = codeEntry({
  name: 'git_show',
  description:
    'What one commit changed: its message, and the lines that it took away and added, file by file.',
  parameters: z.object({
    commit: z
      .string()
      .trim()
      .regex(/^[0-9a-f]{4,64}$/i, 'no id of a commit')
      .describe('Its id, or the beginning of it'),
    path: z.string().max(maxLength).optional().describe('One of its files'),
    scope,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '20 to 100 ms; as long as the change',
  needs: ['past'],
  pieces: { tool: 6, action: 4 },
  asAction: { description: 'What a commit changed, file by file.', fixed: { scope: undefined }, lines: 60 },
  async run({ commit, path, scope: wanted }, context) {
    const { ports, collect, pieces, signal } = context;
    const inside = narrowScope(context.scope, wanted);
    const text = await requirePort(ports.text).readText(`commit:${commit}`);
    if (text.kind === 'unreadable') return failed(text.message);
    signal?.throwIfAborted();
    const list = text.lines.lastIndexOf('Files:');
    const changed = text.lines.slice(list + 1).filter(inside.admits);
    const only = path === undefined || path.trim() === '' ? undefined : context.path(path, inside);
    if (only !== undefined && !inside.admits(only))
      return failed(`${escapePath(only)} is outside the scope.`);
    const meant =
      only === undefined ? changed : changed.filter((one) => one === only || one.startsWith(`${only}/`));
    if (meant.length === 0)
      return failed(
        only === undefined
          ? 'It changed no file in the scope.'
          : `It did not change ${escapePath(only)}; it changed ${changed.slice(0, 5).map(escapePath).join(', ')}.`,
      );
    const reason = only === undefined ? 'what it changed' : `changed ${only}`;
    const shown = meant.slice(0, Math.max(1, pieces - 1));
    const { evidence, notes, cut } = await collect([
      toCommitSpan(commit, reason, changed),
      ...shown.map((one) => ({
        path: `diff:${commit}:${one}`,
        start: 1,
        end: maxLines,
        reason: `what ${commit.slice(0, 12)} changed there`,
        provenance: 'git' as const,
      })),
    ]);
    const left = meant.length - shown.length;
    return done({
      summary: `${formatCount(meant.length, 'file')} changed`,
      lines: meant.map(escapePath),
      noun: 'files',
      data: { commit, paths: meant, evidence: evidence.map(({ id }) => id) },
      evidence,
      completeness: left > 0 || cut ? 'partial' : 'complete',
      notes: [
        ...notes,
        ...(left > 0
          ? [`the changes of ${formatCount(left, 'more file')} are not shown; name one by path`]
          : []),
      ],
    });
  },
});
