import { z } from 'zod';
import { action } from './action.ts';
import { count, lowered } from './bounds.ts';

const kept = 8;

export const findDefinition = action({
  name: 'find_definition',
  about:
    'Where a name is defined: function, class, method, constant, type. Found in the text by the form of definitions, so an unusual form may be missed.',
  input: z.object({ symbol: z.string().describe('The bare identifier, e.g. make_response') }),
  available: (material) => material.definitions !== undefined,
  async run({ symbol }, { material, scope, signal, collect }) {
    const bare = (
      symbol
        .trim()
        .replace(/\(.*$/s, '')
        .split(/[.:#/\s]+/)
        .at(-1) ?? ''
    ).trim();
    if (bare === '') return { kind: 'failed', message: 'The name is empty.' };
    const reply = await material.definitions?.find({
      name: bare,
      ...(scope.text !== undefined && { scope: scope.text }),
      signal,
    });
    if (reply === undefined) return { kind: 'failed', message: 'There is no finder of definitions here.' };
    const inScope = reply.definitions.filter((found) => scope.admits(found.path));
    const { evidence, notes } = await collect(
      inScope.slice(0, kept).map((found) => ({
        ...found,
        reason: `defines ${found.symbol}`,
      })),
    );
    const cut = inScope.length > kept;
    return {
      kind: 'done',
      summary:
        evidence.length === 0
          ? 'no definition of that name was recognised; that is no proof that there is none'
          : count(evidence.length, 'definition'),
      text: '',
      evidence,
      completeness: evidence.length === 0 ? 'unknown' : lowered(reply.completeness, cut || notes.length > 0),
      notes: [
        ...reply.notes,
        ...(cut ? [`${inScope.length - kept} more definitions are not shown`] : []),
        ...notes,
      ],
    };
  },
});
