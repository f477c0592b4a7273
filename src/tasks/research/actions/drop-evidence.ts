import { z } from 'zod';
import { evidenceIdPattern } from '../../../core/index.ts';
import { action } from './action.ts';

export const dropEvidence = action({
  name: 'drop_evidence',
  description: 'Lets go of evidence that has turned out to be irrelevant: it can no longer be cited.',
  input: z.object({ ids: z.array(z.string()).describe('Like ev-0123456789') }),
  available: () => true,
  async run({ ids }, { evidence }) {
    const namedIds = new Set(ids.join(' ').match(evidenceIdPattern));
    const dropped = evidence.map(({ id }) => id).filter((id) => namedIds.has(id));
    if (dropped.length === 0)
      return { kind: 'failed', message: 'None of these ids is evidence that is held.' };
    const unknown = [...namedIds].filter((id) => !dropped.includes(id));
    return {
      kind: 'done',
      summary: `dropped ${dropped.length} of ${evidence.length} pieces of evidence`,
      text: '',
      evidence: [],
      completeness: 'complete',
      notes: unknown.length === 0 ? [] : [`no evidence that is held: ${unknown.join(', ')}`],
      dropped,
    };
  },
});
