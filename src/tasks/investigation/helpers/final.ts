/** The end of an investigation: only this makes an answer, and nothing that is printed does. */
import type { Evidence } from '../../../core/index.ts';
import { evidenceLines } from '../../research/collect.ts';
import type { Crew, Place } from '../crew.ts';
import type { Final, Gains } from '../state.ts';
import { type Helper, refuse } from './helper.ts';
import { evidenceAt } from './read.ts';

/** Characters. Longer ones are cut by the gate anyway, but a model that writes more has lost its way. */
const longestAnswer = 20_000;
/** Bytes of a value as JSON: it goes to the caller whole. */
const largestValue = 2_000;

export const final: Helper = async (args, { crew, place, cell }) => {
  const text = args['text'] ?? null;
  const accepted = await acceptFinal(text === null ? args['value'] : text, crew, place, cell.gains());
  if (typeof accepted === 'string') return refuse(accepted, 'Correct the answer and call FINAL again.');
  return {
    value: null,
    gains: accepted,
    summary: `FINAL ${JSON.stringify(accepted.final.answer).slice(0, 200)}`,
  };
};

/** The answer with its citations resolved; a text says why it is not one. */
export async function acceptFinal(
  given: unknown,
  crew: Crew,
  place: Place,
  gains: Pick<Gains, 'reads'>,
): Promise<{ readonly final: Final; readonly evidence: readonly Evidence[] } | string> {
  const fitting = fitted(given, place);
  if ('problem' in fitting) return fitting.problem;
  const { answer } = fitting;
  if (typeof answer === 'string') {
    if (answer.trim() === '') return 'The answer is empty';
    if (answer.length > longestAnswer)
      return `The answer has ${answer.length} characters, where ${longestAnswer} are allowed and 2,500 are wanted`;
  } else if (Buffer.byteLength(JSON.stringify(answer)) > largestValue)
    return `The answer has more than ${largestValue} bytes as JSON; give a text, or less`;
  const evidence: Evidence[] = [];
  const resolved = await eachText(answer, (text) => withIds(text, evidence, crew, place, gains));
  return { final: { answer: resolved }, evidence };
}

/** A text where a form is asked for may be the value written as JSON. */
function fitted(
  given: unknown,
  { form }: Place,
): { readonly answer: unknown } | { readonly problem: string } {
  if (form === null) return { answer: given };
  const problems = form.problems(given);
  if (problems.length === 0) return { answer: given };
  if (typeof given === 'string')
    try {
      const parsed: unknown = JSON.parse(given);
      if (form.problems(parsed).length === 0) return { answer: parsed };
    } catch {
      // Not JSON: what is wrong with the text itself is told.
    }
  return { problem: `The answer does not have the form asked for: ${problems.join('; ')}` };
}

async function eachText(value: unknown, change: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return Promise.all(value.map((item) => eachText(item, change)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await eachText(item, change)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

const bracket = /\[([^[\]\n]{3,600})\]/g;
const placeForm = /^`?(.+?)`?:(?:L|lines? )?(\d+)(?:\s*[-–]\s*L?(\d+))?$/;

/** `[path:12-30]` becomes the id of these lines, where they were read; all else stands as it is. */
async function withIds(
  text: string,
  evidence: Evidence[],
  crew: Crew,
  place: Place,
  gains: Pick<Gains, 'reads'>,
): Promise<string> {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(bracket)) {
    const ids = await idsOf(match[1]!, evidence, crew, place, gains);
    if (ids === null) continue;
    result += `${text.slice(from, match.index)}[${ids.join(', ')}]`;
    from = match.index + match[0].length;
  }
  return result + text.slice(from);
}

async function idsOf(
  inside: string,
  evidence: Evidence[],
  crew: Crew,
  place: Place,
  gains: Pick<Gains, 'reads'>,
): Promise<readonly string[] | null> {
  const ids: string[] = [];
  for (const part of inside.split(/[,;]\s*/)) {
    const match = placeForm.exec(part.trim());
    if (match === null) {
      if (!/^ev-[0-9a-f]{10}$/.test(part.trim())) return null;
      ids.push(part.trim());
      continue;
    }
    const start = Number(match[2]);
    const end = Math.min(Number(match[3] ?? start), start + evidenceLines - 1);
    const found = await evidenceAt({ path: match[1]!, start, end }, crew, place, gains);
    if (typeof found === 'string') return null;
    evidence.push(found);
    ids.push(found.id);
  }
  return ids;
}
