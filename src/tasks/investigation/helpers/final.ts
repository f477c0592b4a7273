/** FINAL() of the sandbox ends an investigation. Only its argument is the answer, never printed output. */
import { type Evidence, messageOf, unescapePath } from '../../../core/index.ts';
import { hasLongList, maxListBytes } from '../cell/long-list.ts';
import { maxAnswerBytes, maxNestedBytes } from '../limits.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { Final, Gains } from '../state.ts';
import { evidenceAt, textOf } from './cite.ts';
import { type Helper, refuse } from './helper.ts';

/** Maximum characters of a text as the answer. */
const maxAnswerLength = 20_000;

export const final: Helper = async (args, { runContext: context, place, cell }) => {
  const text = args['text'] ?? null;
  const gains = cell.gains();
  const accepted = await acceptFinal(text === null ? args['value'] : text, context, place, gains);
  if (typeof accepted === 'string') return refuse(accepted, 'Correct the answer and call FINAL again.');
  const { final, evidence, unread, oversized } = accepted;
  const problems = [
    ...(gains.offered === null ? citationProblems(unread, oversized) : []),
    ...sizeProblems(final.answer, [...gains.evidence, ...evidence], place),
  ];
  if (problems.length > 0 && !cell.last)
    return {
      value: { error: `${problems.join(' ')} Then call FINAL again.`, code: 'bad_argument' },
      gains: { offered: final, evidence },
      summary: `FINAL handed back: ${problems.join(' ')}`,
    };
  return {
    value: null,
    gains: { final, evidence },
    summary: `FINAL ${JSON.stringify(final.answer).slice(0, 200)}`,
  };
};

/**
 * Says if an answer is too long, so that the planner shortens it. Otherwise its end would be cut, which often contains
 * the answer.
 */
function sizeProblems(
  answer: unknown,
  evidence: readonly Evidence[],
  { depth }: TreeNode,
): readonly string[] {
  // A long list is stored with the run, and only its beginning is returned to the caller.
  if (depth > 0 || hasLongList(answer)) return [];
  const answerJson = JSON.stringify(answer);
  const citationList = evidence
    .filter(({ id }) => answerJson.includes(id))
    .map(({ id, file_path, start_line, end_line }) => ({
      ...{ id, path: file_path, start_line, end_line },
    }));
  const citations = new Map(citationList.map((citation) => [citation.id, citation]));
  const citationBytes = jsonBytes([...citations.values()]);
  const totalBytes = jsonBytes(answer) + citationBytes;
  if (totalBytes <= maxAnswerBytes) return [];
  const shortenHint = typeof answer === 'string' ? 'words' : 'or shorter values of the same form';
  return [
    `The answer takes ${totalBytes} bytes, ${citationBytes} of them for the places of its ${citations.size} citations, where ${maxAnswerBytes} are allowed: leave out ${totalBytes - maxAnswerBytes} or more, by fewer ${shortenHint} or fewer citations.`,
  ];
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const maxReasons = 8;

/** The message for an answer that cites lines that were not read, or too many lines. */
function citationProblems(unread: readonly string[], oversized: readonly string[]): readonly string[] {
  const parts = [
    ...(unread.length === 0
      ? []
      : [
          `The answer cites what was not read: ${listReasons(unread)}. Read these lines with kb_read and cite those that show it`,
        ]),
    ...(oversized.length === 0
      ? []
      : [
          `The answer cites more at once than is kept: ${listReasons(oversized)}. Cite the few lines that show it`,
        ]),
  ];
  return parts.length === 0
    ? []
    : [
        `${parts.join('. ')}, or leave out what nothing shows: it would be marked as unsupported. An answer is handed back for this once.`,
      ];
}

function listReasons(reasons: readonly string[]): string {
  const more = reasons.length > maxReasons ? `; and ${reasons.length - maxReasons} more` : '';
  return `${reasons.slice(0, maxReasons).join('; ')}${more}`;
}

interface AcceptedFinal {
  readonly final: Final;
  readonly evidence: readonly Evidence[];
  /** For each citation of lines that were not read, the reason. */
  readonly unread: readonly string[];
  /** For each citation of too many lines, their number. */
  readonly oversized: readonly string[];
}

/** The answer with its citations replaced by evidence ids, or the reason why it is refused. */
async function acceptFinal(
  givenAnswer: unknown,
  context: RunContext,
  place: TreeNode,
  gains: Pick<Gains, 'reads' | 'evidence'>,
): Promise<AcceptedFinal | string> {
  const formed = fitForm(givenAnswer, place);
  if ('problem' in formed) return formed.problem;
  const { answer } = formed;
  if (typeof answer === 'string') {
    if (answer.trim() === '') return 'The answer is empty';
    if (answer.length > maxAnswerLength)
      return `The answer has ${answer.length} characters, where ${maxAnswerLength} are allowed and 2,500 are wanted`;
  } else {
    const maxBytes = place.depth > 0 ? maxNestedBytes : hasLongList(answer) ? maxListBytes : maxAnswerBytes;
    const bytes = jsonBytes(answer);
    if (bytes > maxBytes) return tooLarge(bytes, maxBytes, place);
  }
  const resolution: FinalEvidence = { evidence: [], unread: [], oversized: [] };
  const answerWithIds = await mapTexts(answer, (text) =>
    replacePlaces(text, resolution, context, place, gains),
  );
  return {
    final: { answer: answerWithIds },
    evidence: resolution.evidence,
    unread: [...new Set(resolution.unread)],
    oversized: [...new Set(resolution.oversized)],
  };
}

/** The message for an answer that is too large. It advises to pass a text only if the schema allows it. */
function tooLarge(bytes: number, max: number, { form }: TreeNode): string {
  const remedy =
    form === null || form.problems('').length === 0
      ? 'give a text, or less'
      : `give less in the form asked for (${JSON.stringify(form.schema).slice(0, 200)}): fewer or shorter values`;
  return `The answer has ${bytes} bytes as JSON, where ${max} are allowed; ${remedy}`;
}

/** Checks the answer against the schema. A text is also accepted if it is JSON that fits. */
function fitForm(
  givenAnswer: unknown,
  { form }: TreeNode,
): { readonly answer: unknown } | { readonly problem: string } {
  if (form === null) return { answer: givenAnswer };
  const problems = form.problems(givenAnswer);
  if (problems.length === 0) return { answer: givenAnswer };
  if (typeof givenAnswer === 'string')
    try {
      const parsed: unknown = JSON.parse(givenAnswer);
      if (form.problems(parsed).length === 0) return { answer: parsed };
    } catch {
      // The text is not JSON, so the error is about the text itself.
    }
  return { problem: `The answer does not have the form asked for: ${problems.join('; ')}` };
}

async function mapTexts(value: unknown, change: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return Promise.all(value.map((item) => mapTexts(item, change)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await mapTexts(item, change)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

const bracket = /\[([^[\]\n]{3,600})\]/g;
const placeForm = /^`?(.+?)`?:(?:L|lines? )?(\d+)(?:\s*[-–]\s*L?(\d+))?$/;
const idForm = /^ev-[0-9a-f]{10}$/;

interface FinalEvidence {
  readonly evidence: Evidence[];
  readonly unread: string[];
  readonly oversized: string[];
}

/** Replaces `[path:12-30]` with the id of these lines if they were read. */
async function replacePlaces(
  text: string,
  found: FinalEvidence,
  context: RunContext,
  place: TreeNode,
  gains: Pick<Gains, 'reads' | 'evidence'>,
): Promise<string> {
  let result = '';
  let position = 0;
  for (const match of text.matchAll(bracket)) {
    const ids = await idsOf(match[1]!, found, context, place, gains);
    if (ids === null) continue;
    result += `${text.slice(position, match.index)}[${ids.join(', ')}]`;
    position = match.index + match[0].length;
  }
  return result + text.slice(position);
}

/** The ids for the content of a bracket. Null if one of its citations gives no evidence. */
async function idsOf(
  inside: string,
  { evidence, unread, oversized }: FinalEvidence,
  context: RunContext,
  place: TreeNode,
  gains: Pick<Gains, 'reads' | 'evidence'>,
): Promise<readonly string[] | null> {
  const ids: string[] = [];
  for (const part of inside.split(/[,;]\s*/)) {
    const citation = part.trim();
    const match = placeForm.exec(citation);
    if (match === null) {
      if (!idForm.test(citation)) return null;
      if (!gains.evidence.some(({ id }) => id === citation))
        unread.push(`${citation} is the id of no citation`);
      ids.push(citation);
      continue;
    }
    const start = Number(match[2]);
    const end = Number(match[3] ?? start);
    const givenPath = match[1]!;
    // The path is the escaped name of a page, unless something of exactly that name was read.
    const path = gains.reads.some((read) => read.path === givenPath) ? givenPath : unescapePath(givenPath);
    const evidenceOrProblem = await evidenceAt({ path, start, end }, context, place, gains);
    if ('why' in evidenceOrProblem) {
      if (evidenceOrProblem.kind === 'too_large') {
        oversized.push(evidenceOrProblem.why);
        return null;
      }
      const why = await reasonUnread(path, evidenceOrProblem.why, context, place);
      if (why !== null) unread.push(why);
      return null;
    }
    evidence.push(evidenceOrProblem);
    ids.push(evidenceOrProblem.id);
  }
  return ids;
}

/**
 * The reason why the place counts as unread. Null if it is no citation, such as a time of day or a verse, which names
 * no text and doesn't look like a path.
 */
async function reasonUnread(
  path: string,
  unread: string,
  context: RunContext,
  place: TreeNode,
): Promise<string | null> {
  if (path.includes('://')) return null;
  try {
    await textOf(path, context, place);
    return unread;
  } catch (thrown) {
    return /\/|\.[a-z]\w{0,7}$/i.test(path) ? messageOf(thrown).replace(/\.$/, '') : null;
  }
}
