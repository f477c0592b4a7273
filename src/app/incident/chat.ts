/** Answers questions about a finished incident, one after the other, from what its run recorded. */
import { plainLine, type RunResult } from '../../core/index.ts';
import type { SettingKey } from '../config/index.ts';
import { research } from '../kinds/research.ts';
import type { Watch } from '../runs/watch.ts';
import { evidenceOfIncident } from './evidence.ts';

export interface IncidentTalk extends Watch {
  /** A run's id, or the beginning of one. */
  readonly run: string;
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The next question; null if there are no more. */
  readonly next: () => Promise<string | null>;
  /** Called first, with the conclusion of the investigation. */
  readonly onOpen: (run: string, said: string) => void;
  readonly onAnswer: (result: RunResult, root: string) => Promise<void>;
}

/** Maximum characters of the previous answer that go with a question. */
const remembered = 600;

/**
 * Throws what `evidenceOfIncident` and a research run throw. Returns how the last question ended; null if there was
 * none.
 */
export async function talkAboutIncident(talk: IncidentTalk): Promise<RunResult | null> {
  const { next, onOpen, onAnswer, settings = {}, ...watch } = talk;
  const { run, root, incident } = await evidenceOfIncident(talk.run);
  onOpen(run, incident === null ? 'not finished' : `${incident.verdict}: ${plainLine(incident.root_cause)}`);
  let last: RunResult | null = null;
  let before: { readonly question: string; readonly answer: string } | null = null;
  for (;;) {
    const question = (await next())?.trim();
    if (question === undefined || talk.signal?.aborted === true) return last;
    if (question === '') continue;
    const { result } = await research.start({
      question: before === null ? question : inTurn(before, question),
      root,
      settings,
      ...watch,
    });
    // Without a model a question is searched by its words. Those of the previous question would be searched again.
    before = result.model === 'extractive' ? null : { question, answer: result.answer };
    last = result;
    await onAnswer(result, root);
  }
}

const inTurn = (before: { readonly question: string; readonly answer: string }, question: string): string =>
  `${question}\n\nAsked before: ${before.question.slice(0, remembered)}\nAnswered: ${plainLine(before.answer).slice(0, remembered)}`;
