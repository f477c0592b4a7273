import { z } from 'zod';
import { evidenceIdPattern } from '../../../core/index.ts';
import { action } from './action.ts';

export const dropEvidence = action({
  name: 'drop_evidence',
  about: 'Lets go of evidence that has turned out to be irrelevant: it can no longer be cited.',
  input: z.object({ ids: z.array(z.string()).describe('Like ev-0123456789') }),
  available: () => true,
  async run({ ids }, { held }) {
    const named = new Set(ids.join(' ').match(evidenceIdPattern));
    const dropped = held.map(({ id }) => id).filter((id) => named.has(id));
    if (dropped.length === 0)
      return { kind: 'failed', message: 'None of these ids is evidence that is held.' };
    const unknown = [...named].filter((id) => !dropped.includes(id));
    return {
      kind: 'done',
      summary: `dropped ${dropped.length} of ${held.length} pieces of evidence`,
      text: '',
      evidence: [],
      completeness: 'complete',
      notes: unknown.length === 0 ? [] : [`no evidence that is held: ${unknown.join(', ')}`],
      dropped,
    };
  },
});
