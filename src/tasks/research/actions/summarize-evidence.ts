import { z } from 'zod';
import { formatCount } from '../../../catalogue/index.ts';
import { action } from './action.ts';

export const summarizeEvidence = action({
  name: 'summarize_evidence',
  description:
    'Has an assistant compress all evidence held so far into a short memo that stays in view. Worth it once the evidence no longer fits on the page.',
  input: z.object({ goal: z.string().describe('What the memo should bring out') }),
  available: () => true,
  async run({ goal }, { evidence, summarize }) {
    if (evidence.length === 0) return { kind: 'failed', message: 'There is no evidence to summarize yet.' };
    const reply = await summarize(goal);
    if ('failure' in reply) return { kind: 'failed', message: reply.failure };
    return {
      kind: 'done',
      summary: `memo over ${formatCount(evidence.length, 'piece')} of evidence`,
      text: '',
      evidence: [],
      completeness: 'complete',
      notes: [],
      memo: reply.memo,
    };
  },
});
