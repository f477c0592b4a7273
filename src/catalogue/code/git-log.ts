import { z } from 'zod';
import { codeEntry, filePath, maxLength, narrowScope, requirePort, scope } from './code-ports.ts';
import { limit, listCommits } from './commits.ts';

export const gitLog = codeEntry({
  name: 'git_log',
  description:
    'Commits, newest first, that touched a path or whose message holds a text. For when and why something changed.',
  parameters: z.object({
    path: filePath.optional().describe('File or folder'),
    message: z.string().max(maxLength).optional().describe('Text that the message holds'),
    scope,
    limit,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '20 ms and more for long histories',
  needs: ['past'],
  pieces: { tool: 0, action: 8 },
  asAction: { fixed: { scope: undefined, limit: 30 }, lines: 30 },
  async run({ path, message, scope: wanted, limit }, context) {
    const inside = narrowScope(context.scope, wanted);
    const only = path === undefined ? undefined : context.path(path, inside);
    const text = message?.trim() ?? '';
    const reply = await requirePort(context.ports.past).log({
      limit,
      ...(only !== undefined && { path: only }),
      ...(text !== '' && { message: text }),
      ...inside.asked,
      ...(context.signal && { signal: context.signal }),
    });
    const reason = only === undefined ? 'from the history' : `touched ${only}`;
    return listCommits(reply, { asked: limit, reason, inside }, context);
  },
});
