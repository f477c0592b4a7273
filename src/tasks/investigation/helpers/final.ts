/** FINAL, the end of an investigation: only its argument is the answer, never printed output. */
import { type Evidence, messageOf, unescapePath } from '../../../core/index.ts';
import { hasLongList, maxListBytes } from '../cell/long-list.ts';
import { maxAnswerBytes, maxNestedBytes } from '../limits.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { Final, Gains } from '../state.ts';
import { evidenceAt, textOf } from './cite.ts';
import { type Helper, refuse } from './helper.ts';

/** Characters. A model that writes more is not answering the question. */
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

/** Reported early enough to shorten it: a later cut drops the end, which is often the answer. */
function sizeProblems(
  answer: unknown,
  evidence: readonly Evidence[],
  { depth }: TreeNode,
): readonly string[] {
  // A long list is stored with the run, and only a part of it is passed on.
  if (depth > 0 || hasLongList(answer)) return [];
  const written = JSON.stringify(answer);
  const cited = evidence
    .filter(({ id }) => written.includes(id))
    .map(({ id, file_path, start_line, end_line }) => ({
      ...{ id, path: file_path, start_line, end_line },
    }));
  const citations = new Map(cited.map((one) => [one.id, one]));
  const listed = jsonBytes([...citations.values()]);
  const all = jsonBytes(answer) + listed;
  if (all <= maxAnswerBytes) return [];
  const fewer = typeof answer === 'string' ? 'words' : 'or shorter values of the same form';
  return [
    `The answer takes ${all} bytes, ${listed} of them for the places of its ${citations.size} citations, where ${maxAnswerBytes} are allowed: leave out ${all - maxAnswerBytes} or more, by fewer ${fewer} or fewer citations.`,
  ];
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const maxNamed = 8;

/** The message for an answer that cites unread lines, or too many. */
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
  const more = reasons.length > maxNamed ? `; and ${reasons.length - maxNamed} more` : '';
  return `${reasons.slice(0, maxNamed).join('; ')}${more}`;
}

interface AcceptedFinal {
  readonly final: Final;
  readonly evidence: readonly Evidence[];
  /** Citations of lines that were not read, with reasons. */
  readonly unread: readonly string[];
  /** Citations of more lines than allowed, with their number. */
  readonly oversized: readonly string[];
}

/** The answer with its citations resolved; a string says why it is refused. */
async function acceptFinal(
  given: unknown,
  context: RunContext,
  place: TreeNode,
  gains: Pick<Gains, 'reads' | 'evidence'>,
): Promise<AcceptedFinal | string> {
  const fitting = fitForm(given, place);
  if ('problem' in fitting) return fitting.problem;
  const { answer } = fitting;
  if (typeof answer === 'string') {
    if (answer.trim() === '') return 'The answer is empty';
    if (answer.length > maxAnswerLength)
      return `The answer has ${answer.length} characters, where ${maxAnswerLength} are allowed and 2,500 are wanted`;
  } else {
    const maxBytes = place.depth > 0 ? maxNestedBytes : hasLongList(answer) ? maxListBytes : maxAnswerBytes;
    const bytes = jsonBytes(answer);
    if (bytes > maxBytes) return tooLarge(bytes, maxBytes, place);
  }
  const found: FinalEvidence = { evidence: [], unread: [], oversized: [] };
  const resolved = await eachText(answer, (text) => withIds(text, found, context, place, gains));
  return {
    final: { answer: resolved },
    evidence: found.evidence,
    unread: [...new Set(found.unread)],
    oversized: [...new Set(found.oversized)],
  };
}

/** The advice to pass a text is given only if no form is required. */
function tooLarge(bytes: number, max: number, { form }: TreeNode): string {
  const remedy =
    form === null || form.problems('').length === 0
      ? 'give a text, or less'
      : `give less in the form asked for (${JSON.stringify(form.schema).slice(0, 200)}): fewer or shorter values`;
  return `The answer has ${bytes} bytes as JSON, where ${max} are allowed; ${remedy}`;
}

/** If a form is required, a text may be the value as JSON. */
function fitForm(
  given: unknown,
  { form }: TreeNode,
): { readonly answer: unknown } | { readonly problem: string } {
  if (form === null) return { answer: given };
  const problems = form.problems(given);
  if (problems.length === 0) return { answer: given };
  if (typeof given === 'string')
    try {
      const parsed: unknown = JSON.parse(given);
      if (form.problems(parsed).length === 0) return { answer: parsed };
    } catch {
      // The text is not JSON, so the error is about the text itself.
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
const idForm = /^ev-[0-9a-f]{10}$/;

interface FinalEvidence {
  readonly evidence: Evidence[];
  readonly unread: string[];
  readonly oversized: string[];
}

/** Replaces `[path:12-30]` with the id of these lines if they were read. */
async function withIds(
  text: string,
  found: FinalEvidence,
  context: RunContext,
  place: TreeNode,
  gains: Pick<Gains, 'reads' | 'evidence'>,
): Promise<string> {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(bracket)) {
    const ids = await idsOf(match[1]!, found, context, place, gains);
    if (ids === null) continue;
    result += `${text.slice(from, match.index)}[${ids.join(', ')}]`;
    from = match.index + match[0].length;
  }
  return result + text.slice(from);
}

/** Null if one of them cites unread lines. */
async function idsOf(
  inside: string,
  { evidence, unread, oversized }: FinalEvidence,
  context: RunContext,
  place: TreeNode,
  gains: Pick<Gains, 'reads' | 'evidence'>,
): Promise<readonly string[] | null> {
  const ids: string[] = [];
  for (const part of inside.split(/[,;]\s*/)) {
    const one = part.trim();
    const match = placeForm.exec(one);
    if (match === null) {
      if (!idForm.test(one)) return null;
      if (!gains.evidence.some(({ id }) => id === one)) unread.push(`${one} is the id of no citation`);
      ids.push(one);
      continue;
    }
    const start = Number(match[2]);
    const end = Number(match[3] ?? start);
    const named = match[1]!;
    // The displayed name of a page, unless something of that exact name was read.
    const path = gains.reads.some((read) => read.path === named) ? named : unescapePath(named);
    const read = await evidenceAt({ path, start, end }, context, place, gains);
    if ('why' in read) {
      if (read.kind === 'too_large') {
        oversized.push(read.why);
        return null;
      }
      const why = await reasonUnread(path, read.why, context, place);
      if (why !== null) unread.push(why);
      return null;
    }
    evidence.push(read);
    ids.push(read.id);
  }
  return ids;
}

/**
 * Why the place counts as unread. Null for a time of day or a verse: anything that names no text and is not written
 * as a path.
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
