/** Reads a set of questions with their expected answers (JSON lines). All are checked before anything is asked. */
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { SondeError } from '../../core/index.ts';
import { listEvalAdapters } from './evaluations.ts';

const pathSchema = z
  .string()
  .min(1)
  .refine((text) => !isAbsolute(text) && !text.split('/').includes('..'), 'is not relative to the root');

const spanSchema = z
  .strictObject({ path: pathSchema, start: z.int().min(1), end: z.int().min(1) })
  .refine(({ start, end }) => end >= start, 'ends before it starts');

const goldSchema = z
  .strictObject({
    files: z.array(pathSchema).min(1).optional(),
    lines: z.array(spanSchema).min(1).optional(),
    verdict: z.string().min(1).optional(),
    answer: z.unknown().optional(),
  })
  .refine(
    (given) => Object.values(given).some((value) => value !== undefined),
    'contains no expected answer',
  );

const rowSchema = z
  .strictObject({
    id: z.string().min(1).max(200),
    shape: z.string().refine((shape) => listEvalAdapters().has(shape), {
      error: () => `cannot be asked (allowed: ${[...listEvalAdapters().keys()].join(', ')})`,
    }),
    root: z.string().min(1).optional(),
    repo: z.string().min(1).optional(),
    commit: z.string().min(1).optional(),
    question: z.string().min(1).max(1_000_000).optional(),
    scope: z.string().min(1).optional(),
    gold: goldSchema,
  })
  .refine(({ root, repo }) => (root === undefined) !== (repo === undefined), 'needs either a root or a repo')
  .refine(
    ({ repo, commit }) => (repo === undefined) === (commit === undefined),
    'needs both repo and commit, or neither',
  )
  .refine(
    ({ shape, question }) => question !== undefined || listEvalAdapters().get(shape)?.needsQuestion !== true,
    'has no question',
  );

export type Gold = z.output<typeof goldSchema>;
export type GoldSpan = z.output<typeof spanSchema>;

export interface QuestionRow extends Omit<z.output<typeof rowSchema>, 'root' | 'repo'> {
  /** The line in the file, from 1. */
  readonly line: number;
  /** Absolute. In the file, paths are relative to the folder of the file. */
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

/** Throws `bad_argument` that lists the wrong lines. `file`: the path of the set, for relative paths and messages. */
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
    const rowOrFault = readRow(text);
    if (typeof rowOrFault === 'string') faults.push(`line ${line}: ${rowOrFault}`);
    else if (lineOfId.has(rowOrFault.id))
      faults.push(
        `line ${line}: the id ${rowOrFault.id} is also that of line ${lineOfId.get(rowOrFault.id)}`,
      );
    else {
      lineOfId.set(rowOrFault.id, line);
      rows.push({ ...resolvePaths(rowOrFault, dirname(file)), line });
    }
  }
  if (rows.length === 0 && faults.length === 0) faults.push('it has no line');
  if (faults.length > 0) throw badSetError(file, faults);
  return { name: file, hash: createHash('sha256').update(bytes).digest('hex'), rows };
}

export function badSetError(file: string, faults: readonly string[]): SondeError {
  const hiddenCount = faults.length - maxFaultsShown;
  const shownFaults = [
    ...faults.slice(0, maxFaultsShown),
    ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : []),
  ];
  return new SondeError('bad_argument', {
    message: `${file} is not a valid set of questions: ${shownFaults.join('; ')}`,
    remedy: 'Correct these lines; nothing was asked. docs/guides/evaluation.md describes the format.',
  });
}

function readRow(text: string): z.output<typeof rowSchema> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = rowSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const fieldName = issue?.path.join('.') ?? '';
  return `${fieldName === '' ? 'it' : fieldName} ${issue?.code === 'custom' ? issue.message : `is wrong (${issue?.message ?? 'not as expected'})`}`;
}

function resolvePaths(
  { root, repo, ...rest }: z.output<typeof rowSchema>,
  folder: string,
): Omit<QuestionRow, 'line'> {
  const resolvePath = (given: string) => (isAbsolute(given) ? given : join(folder, given));
  return {
    ...rest,
    ...(root !== undefined && { root: resolvePath(root) }),
    ...(repo !== undefined && { repo: resolvePath(repo) }),
  };
}
