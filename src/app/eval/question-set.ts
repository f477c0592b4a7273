/** A set of questions with their expected answers: JSON lines, which are all checked before anything is asked. */
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { SondeError } from '../../core/index.ts';
import { evaluations } from './evaluations.ts';

const path = z
  .string()
  .min(1)
  .refine((text) => !isAbsolute(text) && !text.split('/').includes('..'), 'is not relative to the root');

const span = z
  .strictObject({ path, start: z.int().min(1), end: z.int().min(1) })
  .refine(({ start, end }) => end >= start, 'ends before it starts');

const gold = z
  .strictObject({
    files: z.array(path).min(1).optional(),
    lines: z.array(span).min(1).optional(),
    verdict: z.string().min(1).optional(),
    answer: z.unknown().optional(),
  })
  .refine(
    (given) => Object.values(given).some((value) => value !== undefined),
    'contains no expected answer',
  );

const row = z
  .strictObject({
    id: z.string().min(1).max(200),
    shape: z.string().refine((shape) => evaluations().has(shape), {
      error: () => `cannot be asked (allowed: ${[...evaluations().keys()].join(', ')})`,
    }),
    root: z.string().min(1).optional(),
    repo: z.string().min(1).optional(),
    commit: z.string().min(1).optional(),
    question: z.string().min(1).max(1_000_000).optional(),
    scope: z.string().min(1).optional(),
    gold,
  })
  .refine(({ root, repo }) => (root === undefined) !== (repo === undefined), 'needs either a root or a repo')
  .refine(
    ({ repo, commit }) => (repo === undefined) === (commit === undefined),
    'needs both repo and commit, or neither',
  )
  .refine(
    ({ shape, question }) => question !== undefined || evaluations().get(shape)?.needsQuestion !== true,
    'has no question',
  );

export type Gold = z.output<typeof gold>;
export type GoldSpan = z.output<typeof span>;

export interface QuestionRow extends Omit<z.output<typeof row>, 'root' | 'repo'> {
  /** The line in the file, from 1. */
  readonly line: number;
  /** Absolute: paths in a set are relative to its file. */
  readonly root?: string;
  readonly repo?: string;
}

export interface QuestionSet {
  readonly name: string;
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly rows: readonly QuestionRow[];
}

const maxFaultsShown = 20;

/** Throws `bad_argument` with all wrong lines. `file`: where the set is, for relative paths and messages. */
export function readQuestionSet(bytes: Buffer, file: string): QuestionSet {
  const faults: string[] = [];
  const rows: QuestionRow[] = [];
  const lineOfId = new Map<string, number>();
  for (const [index, text] of bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (text.trim() === '') continue;
    const line = index + 1;
    const read = readRow(text);
    if (typeof read === 'string') faults.push(`line ${line}: ${read}`);
    else if (lineOfId.has(read.id))
      faults.push(`line ${line}: the id ${read.id} is also that of line ${lineOfId.get(read.id)}`);
    else {
      lineOfId.set(read.id, line);
      rows.push({ ...placeRow(read, dirname(file)), line });
    }
  }
  if (rows.length === 0 && faults.length === 0) faults.push('it has no line');
  if (faults.length > 0) throw badSet(file, faults);
  return { name: file, hash: createHash('sha256').update(bytes).digest('hex'), rows };
}

export function badSet(file: string, faults: readonly string[]): SondeError {
  const rest = faults.length - maxFaultsShown;
  const told = [...faults.slice(0, maxFaultsShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return new SondeError('bad_argument', {
    message: `${file} is not a valid set of questions: ${told.join('; ')}`,
    remedy: 'Correct these lines; nothing was asked. docs/guides/evaluation.md describes the format.',
  });
}

function readRow(text: string): z.output<typeof row> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = row.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  return `${place === '' ? 'it' : place} ${issue?.code === 'custom' ? issue.message : `is wrong (${issue?.message ?? 'not as expected'})`}`;
}

function placeRow({ root, repo, ...rest }: z.output<typeof row>, folder: string): Omit<QuestionRow, 'line'> {
  const at = (given: string) => (isAbsolute(given) ? given : join(folder, given));
  return {
    ...rest,
    ...(root !== undefined && { root: at(root) }),
    ...(repo !== undefined && { repo: at(repo) }),
  };
}
