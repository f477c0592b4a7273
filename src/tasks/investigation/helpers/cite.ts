/** Citing what was read. */
import { textWithin } from '../../../catalogue/index.ts';
import { covers, type Evidence, type FileText } from '../../../core/index.ts';
import { evidenceLines, readFind } from '../../research/collect.ts';
import type { Crew, Place } from '../crew.ts';
import type { Gains } from '../state.ts';
import { type Helper, refuse, textArgument, wholeArgument } from './helper.ts';
import { fromPort } from './ports.ts';

const longestPath = 2000;

/** Throws what says why there is none. */
export const textOf = (path: string, { material }: Crew, { scope }: Place): Promise<FileText> =>
  fromPort('reading', () => textWithin(path, { ports: material, scope }));

export const cite: Helper = async (args, { crew, place, cell }) => {
  const path = textArgument(args, 'path', longestPath);
  const start = wholeArgument(args, 'start', 1, Number.MAX_SAFE_INTEGER);
  const end = wholeArgument(args, 'end', 1, Number.MAX_SAFE_INTEGER) ?? start;
  if (start === null || end === null || end < start)
    return refuse('cite takes a path and lines: cite(path, 12, 30)');
  if (end - start >= evidenceLines)
    refuse(
      `${path}:${start}-${end} has ${end - start + 1} lines, where a citation has at most ${evidenceLines}`,
      'Cite the lines that tell.',
    );
  const found = await evidenceAt({ path, start, end }, crew, place, cell.gains());
  if (typeof found === 'string') return refuse(found, 'Read it with kb_read, then cite it.');
  return {
    value: `[${found.id}]`,
    gains: { evidence: [found] },
    summary: `${path}:${start}-${end} ${found.id}`,
  };
};

/** Lines that were read, as evidence. A text says why there is none. */
export async function evidenceAt(
  { path, start, end }: { readonly path: string; readonly start: number; readonly end: number },
  crew: Crew,
  place: Place,
  { reads }: Pick<Gains, 'reads'>,
): Promise<Evidence | string> {
  if (!covers(reads, { path, commit: null, start, end }))
    return `${path}:${start === end ? start : `${start}-${end}`} was not read`;
  const found = await fromPort('reading', () =>
    readFind(crew.material.text, place.scope, {
      path,
      start,
      end,
      reason: 'cited by the code of the investigation',
      provenance: 'manual',
    }),
  );
  return typeof found === 'string' ? found : found.evidence;
}
