import { z } from 'zod';
import { action } from './action.ts';
import { commitsAsked, commitsFound } from './commits.ts';

export const gitLog = action({
  name: 'git_log',
  about:
    'Commits, newest first, that touched a path or whose message contains a text. For when and why something changed.',
  input: z.object({
    path: z.string().default('').describe('File or folder; empty for all'),
    message: z.string().default('').describe('Text the commit message must contain; empty for any'),
  }),
  available: (material) => material.past !== undefined,
  async run({ path, message }, { material, scope, signal, collect }) {
    const only = path.trim().replace(/^(?:\.\/)+/, '');
    const reply = await material.past?.log({
      ...(only !== '' && { path: only }),
      ...(message.trim() !== '' && { message: message.trim() }),
      ...(scope.text !== undefined && { scope: scope.text }),
      limit: commitsAsked,
      signal,
    });
    if (reply === undefined) return { kind: 'failed', message: 'There is no history of this material.' };
    return commitsFound(reply, only === '' ? 'from the history' : `touched ${only}`, { scope, collect });
  },
});
