import { z } from 'zod';
import { action } from './action.ts';
import { commitsAsked, commitsFound } from './commits.ts';

export const gitPickaxe = action({
  name: 'git_pickaxe',
  about:
    'Commits that added or removed a text (or, as a regular expression, touched matching lines). For when something came or went.',
  input: z.object({
    text: z.string().describe('The text, exactly as in the code'),
    regex: z.boolean().default(false).describe('Read the text as a regular expression'),
  }),
  available: (material) => material.past !== undefined,
  async run({ text, regex }, { material, scope, signal, collect }) {
    if (text.trim() === '') return { kind: 'failed', message: 'The text is empty.' };
    const reply = await material.past?.pickaxe({
      text,
      regex,
      ...(scope.text !== undefined && { scope: scope.text }),
      limit: commitsAsked,
      signal,
    });
    if (reply === undefined) return { kind: 'failed', message: 'There is no history of this material.' };
    return commitsFound(reply, `added or removed ${text}`, { scope, collect });
  },
});
