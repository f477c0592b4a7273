/** Answers questions about a finished incident, one after the other, from what its run recorded. */
import { plainLine, type RunResult } from '../../core/index.ts';
import type { SettingKey } from '../config/index.ts';
import { research } from '../kinds/research.ts';
import type { Watch } from '../runs/watch.ts';
import { writeEvidenceFiles } from './evidence.ts';

export interface IncidentChat extends Watch {
  /** A run's id, or the beginning of one. */
  readonly run: string;
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Returns the next question; null if there are no more. */
  readonly next: () => Promise<string | null>;
  /** Called first, with the conclusion of the investigation. */
  readonly onOpen: (run: string, conclusion: string) => void;
  readonly onAnswer: (result: RunResult, root: string) => Promise<void>;
}

/** Maximum characters of the previous question, and of its answer, that are added to a question. */
const maxPreviousLength = 600;

/**
 * Returns the result of the last question; null if there was none. Throws as `writeEvidenceFiles` and a research run do.
 */
export async function chatAboutIncident(chat: IncidentChat): Promise<RunResult | null> {
  const { next, onOpen, onAnswer, settings = {}, ...watch } = chat;
  const { run, root, incident } = await writeEvidenceFiles(chat.run);
  onOpen(run, incident === null ? 'not finished' : `${incident.verdict}: ${plainLine(incident.root_cause)}`);
  let lastResult: RunResult | null = null;
  let previous: { readonly question: string; readonly answer: string } | null = null;
  for (;;) {
    const question = (await next())?.trim();
    if (question === undefined || chat.signal?.aborted === true) return lastResult;
    if (question === '') continue;
    const { result } = await research.start({
      question: previous === null ? question : addPrevious(previous, question),
      root,
      settings,
      ...watch,
    });
    // Without a model the search uses all words of the text, so the previous question would distort the results.
    previous = result.model === 'extractive' ? null : { question, answer: result.answer };
    lastResult = result;
    await onAnswer(result, root);
  }
}

const addPrevious = (
  previous: { readonly question: string; readonly answer: string },
  question: string,
): string =>
  `${question}\n\nAsked before: ${previous.question.slice(0, maxPreviousLength)}\nAnswered: ${plainLine(previous.answer).slice(0, maxPreviousLength)}`;
