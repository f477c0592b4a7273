/** `cite()` of the sandbox: makes evidence of lines that were read. */
import { readInScope } from '../../../catalogue/code/read-text.ts';
import { covers, type Evidence, type FileSpan, type FileText } from '../../../core/index.ts';
import { evidenceCharacters, evidenceLines, readSpan } from '../../research/material/collect.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { Gains } from '../state.ts';
import { type Helper, refuse, textArgument, wholeArgument } from './helper.ts';
import { fromPort } from './ports.ts';

const maxPathLength = 2000;

/** Reads a text in the scope. Throws an error with the reason if it can't be read. */
export const textOf = (path: string, { material }: RunContext, { scope }: TreeNode): Promise<FileText> =>
  fromPort('reading', () => readInScope(path, { ports: material, scope }));

export const cite: Helper = async (args, { runContext: context, place, cell }) => {
  const path = textArgument(args, 'path', maxPathLength);
  const start = wholeArgument(args, 'start', 1, Number.MAX_SAFE_INTEGER);
  const end = wholeArgument(args, 'end', 1, Number.MAX_SAFE_INTEGER) ?? start;
  if (start === null || end === null || end < start)
    return refuse('cite takes a path and lines: cite(path, 12, 30)');
  const found = await evidenceAt({ path, start, end }, context, place, cell.gains());
  if ('why' in found) return refuse(found.why, found.remedy);
  return {
    value: `[${found.id}]`,
    gains: { evidence: [found] },
    summary: `${spanText({ path, start: found.start_line, end: found.end_line })} ${found.id}`,
  };
};

export interface CitationProblem {
  readonly kind: 'unread' | 'too_large';
  readonly why: string;
  readonly remedy: string;
}

const notRead = (why: string): CitationProblem => ({
  ...{ kind: 'unread', why, remedy: 'Read it with kb_read, then cite it.' },
});
const tooLarge = (why: string, fitting: string): CitationProblem => ({
  ...{ kind: 'too_large', why, remedy: `Cite the lines that tell; ${fitting} would fit.` },
});

const spanText = ({ path, start, end }: FileSpan): string =>
  `${path}:${start === end ? start : `${start}-${end}`}`;

/** Makes evidence of all lines or of none, since a part of them doesn't support a claim about all. */
export async function evidenceAt(
  { path, start, end }: FileSpan,
  context: RunContext,
  place: TreeNode,
  { reads }: Pick<Gains, 'reads'>,
): Promise<Evidence | CitationProblem> {
  const span = spanText({ path, start, end });
  if (!covers(reads, { path, commit: null, start, end })) return notRead(`${span} was not read`);
  if (end - start >= evidenceLines)
    return tooLarge(
      `${span} has ${end - start + 1} lines, where a citation has at most ${evidenceLines}`,
      spanText({ path, start, end: start + evidenceLines - 1 }),
    );
  const found = await fromPort('reading', () =>
    readSpan(context.material.text, place.scope, {
      path,
      start,
      end,
      reason: 'cited by the code of the investigation',
      provenance: 'manual',
    }),
  );
  if (typeof found === 'string') return notRead(found);
  const { evidence } = found;
  if (evidence.end_line >= end) return evidence;
  const { lines } = await textOf(path, context, place);
  const characters = lines.slice(start - 1, end).join('\n').length;
  return tooLarge(
    `${span} has ${characters} characters, where a citation has at most ${evidenceCharacters}`,
    spanText({ path, start, end: evidence.end_line }),
  );
}
