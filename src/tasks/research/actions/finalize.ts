import { z } from 'zod';
import { evidenceIdPattern } from '../../../core/index.ts';
import { confidence, withinOne } from '../dialogue/confidence.ts';
import { citePlaces } from '../report/cite-places.ts';
import { absenceId } from '../report/claims.ts';
import { action } from './action.ts';

export const finalize = action({
  name: 'finalize',
  about: 'Ends the research with the answer.',
  input: z.object({
    answer: z.string().describe('Each claim with its evidence ids like [ev-0123456789]'),
    confidence,
  }),
  available: () => true,
  async run({ answer, confidence: sure }, { held, taken, scope }) {
    if (answer.trim() === '') return { kind: 'failed', message: 'The answer is empty.' };
    const ids = new Set(citePlaces(answer, held).match(evidenceIdPattern));
    const looked = taken.some(({ outcome }) => outcome !== 'error');
    const toldBefore = taken.some(({ action: name, outcome }) => name === 'finalize' && outcome === 'error');
    // The answer cites no evidence: it was written from memory, or the ids were forgotten. It is accepted if the model
    // has looked and either insists on it or found nothing.
    const isAbsence = taken.some((turn) => ids.has(absenceId(turn, scope.text ?? null) ?? ''));
    if (!isAbsence && !held.some(({ id }) => ids.has(id)) && !(looked && (toldBefore || held.length === 0)))
      return {
        kind: 'failed',
        message: looked
          ? 'The answer cites none of the evidence held. Put the ids behind its sentences; if nothing that was found bears on the question, finalize once more and say so.'
          : 'Nothing was looked at yet, and the answer cites none of the evidence: find it first.',
      };
    return {
      kind: 'done',
      summary: 'answered',
      text: '',
      evidence: [],
      completeness: 'complete',
      notes: [],
      final: { answer, confidence: withinOne(sure) },
    };
  },
});
