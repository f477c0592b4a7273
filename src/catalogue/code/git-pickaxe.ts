import { z } from 'zod';
import { clipLine } from '../bounds.ts';
import { failed } from '../entry.ts';
import { codeEntry, maxLength, narrowScope, requirePort, scope } from './code-ports.ts';
import { limit, listCommits } from './commits.ts';

export const gitPickaxe = codeEntry({
  name: 'git_pickaxe',
  description:
    'Commits that changed how often a text occurs (or, with regex, touched lines that match). For when something came or went.',
  parameters: z.object({
    text: z.string().min(1).max(maxLength).describe('Exactly as in the code'),
    regex: z.boolean().default(false).describe('Read the text as a regular expression'),
    scope,
    limit,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '100 ms to several seconds for long histories',
  needs: ['past'],
  pieces: { tool: 0, action: 8 },
  asAction: { fixed: { scope: undefined, limit: 30 }, lines: 30 },
  async run({ text, regex, scope: wanted, limit }, context) {
    if (text.trim() === '') return failed('The text is empty.');
    const inside = narrowScope(context.scope, wanted);
    const reply = await requirePort(context.ports.past).pickaxe({
      text,
      regex,
      limit,
      ...inside.asked,
      ...(context.signal && { signal: context.signal }),
    });
    return listCommits(
      reply,
      { asked: limit, reason: clipLine(`added or removed ${text}`), inside },
      context,
    );
  },
});
