import { z } from 'zod';
import { evidenceIdPattern } from '../../../core/index.ts';
import { clampConfidence, confidence } from '../dialogue/confidence.ts';
import { citePlaces } from '../report/cite-places.ts';
import { absenceId } from '../report/claims.ts';
import { action } from './action.ts';

export const finalize = action({
  name: 'finalize',
  description: 'Ends the research with the answer.',
  input: z.object({
    answer: z.string().describe('Each claim with its evidence ids like [ev-0123456789]'),
    confidence,
  }),
  available: () => true,
  async run({ answer, confidence: givenConfidence }, { evidence, turns, scope }) {
    if (answer.trim() === '') return { kind: 'failed', message: 'The answer is empty.' };
    const ids = new Set(citePlaces(answer, evidence).match(evidenceIdPattern));
    const hasLooked = turns.some(({ outcome }) => outcome !== 'error');
    const wasRefused = turns.some(({ action: name, outcome }) => name === 'finalize' && outcome === 'error');
    // An answer without evidence was written from memory, or its ids were forgotten. It is accepted if the model has
    // taken an action, and either gives the answer a second time or found nothing.
    const isAbsence = turns.some((turn) => ids.has(absenceId(turn, scope.text ?? null) ?? ''));
    if (
      !isAbsence &&
      !evidence.some(({ id }) => ids.has(id)) &&
      !(hasLooked && (wasRefused || evidence.length === 0))
    )
      return {
        kind: 'failed',
        message: hasLooked
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
      final: { answer, confidence: clampConfidence(givenConfidence) },
    };
  },
});
