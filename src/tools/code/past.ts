/** Tools that look into git's past of the code base. */
import { z } from 'zod';
import { type CommitNote, type PastReply, plainLine, type Tool, toolReply } from '../../core/index.ts';
import { readTool } from '../define.ts';
import { filePath, scope } from './find.ts';
import { type CodeMaterial, pathWithin } from './material.ts';

const most = z.int().min(1).max(200).default(30);

function commits({ items, completeness, notes }: PastReply<CommitNote>, limit: number) {
  const line = ({ commit, date, author, subject, paths }: CommitNote) => {
    const more = paths.length > 4 ? ` and ${paths.length - 4} more` : '';
    return plainLine(
      `${commit.slice(0, 12)} ${date.slice(0, 10)} ${author}: ${subject} (${paths.slice(0, 4).join(', ')}${more})`,
    );
  };
  return toolReply(
    items.map(line).join('\n') || (completeness === 'unknown' ? 'The history cannot be read.' : 'No commit.'),
    { commits: items },
    { completeness: completeness === 'complete' && items.length >= limit ? 'partial' : completeness, notes },
  );
}

export function codePastTools(material: () => Promise<CodeMaterial>): readonly Tool[] {
  return [
    readTool({
      name: 'git_log',
      description: 'Commits, newest first, that touched a path or whose message holds a text.',
      input: {
        path: filePath.optional(),
        message: z.string().max(500).optional(),
        scope,
        limit: most,
      },
      capability: 'CodeRead',
      cost: '20 ms and more for long histories',
      async run({ path, message, scope, limit }, { signal }) {
        const only = path === undefined ? undefined : pathWithin(path, scope);
        const { past } = await material();
        const asked = {
          limit,
          ...(only !== undefined && { path: only }),
          ...(message !== undefined && { message }),
          ...(scope !== undefined && { scope }),
          ...(signal && { signal }),
        };
        return commits(await past.log(asked), limit);
      },
    }),
    readTool({
      name: 'git_blame',
      description: 'Commit, date and author of each line of a span.',
      input: { file_path: filePath, start_line: z.int().min(1), end_line: z.int().min(1) },
      capability: 'CodeRead',
      cost: '20 ms and more for long histories',
      async run({ file_path, start_line, end_line }, { signal }) {
        const path = pathWithin(file_path, undefined);
        const { past } = await material();
        const end = Math.min(Math.max(end_line, start_line), start_line + 499);
        const reply = await past.blame({ path, start: start_line, end, ...(signal && { signal }) });
        return toolReply(
          reply.items
            .map(
              ({ line, commit, date, author, text }) =>
                `${line} ${commit.slice(0, 12)} ${date.slice(0, 10)} ${plainLine(author)}: ${text.trimEnd()}`,
            )
            .join('\n') || 'No line.',
          { lines: reply.items },
          { completeness: end < end_line ? 'partial' : reply.completeness, notes: reply.notes },
        );
      },
    }),
    readTool({
      name: 'git_pickaxe',
      description:
        'Commits that changed how often a text occurs; with regex, that touched lines which match.',
      input: { text: z.string().min(1).max(1000), regex: z.boolean().default(false), scope, limit: most },
      capability: 'CodeRead',
      cost: '100 ms to some s for long histories',
      async run({ text, regex, scope, limit }, { signal }) {
        const { past } = await material();
        const asked = {
          text,
          regex,
          limit,
          ...(scope !== undefined && { scope }),
          ...(signal && { signal }),
        };
        return commits(await past.pickaxe(asked), limit);
      },
    }),
  ];
}
