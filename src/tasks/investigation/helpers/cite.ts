/** Looking at the material: searching it, reading it, citing what was read. */
import {
  covers,
  type Evidence,
  type FileText,
  inOtherCase,
  isSondeError,
  messageOf,
  SondeError,
  type SpanHit,
  scopeMatcher,
} from '../../../core/index.ts';
import { evidenceLines, readFind } from '../../research/collect.ts';
import type { Crew, Place } from '../crew.ts';
import type { Gains } from '../state.ts';
import { type Helper, refuse, textArgument, wholeArgument } from './helper.ts';

const usualHits = 10;
const mostHits = 100;
/** Characters of the text beside a hit. A piece of the index fits: a filter in code must not miss its end. */
const hitText = 4_000;
/** Files read side by side for the texts of hits. */
const readers = 8;
/** Characters of one reading. */
const longestRead = 4_000_000;
const longestPath = 2000;

/** What goes wrong in a port is told to the code; it is no reason to end the run. */
export async function fromPort<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (isSondeError(thrown)) throw thrown;
    throw new SondeError('tool_failed', { message: `${what} failed: ${messageOf(thrown)}`, cause: thrown });
  }
}

export const kbSearch: Helper = async (args, { crew, place, signal }) => {
  const query = textArgument(args, 'query', 2000);
  const wide = args['wide'] === true;
  const most = wide ? crew.limits.wide : mostHits;
  const k = Math.min(wholeArgument(args, 'k', 1, 100_000) ?? (wide ? most : usualHits), most);
  const asked = args['scope'] ?? null;
  if (asked !== null && typeof asked !== 'string') refuse('scope is a text, such as "src/**,!src/vendor"');
  const within = scopeMatcher(asked ?? undefined);
  // The narrower scope is the port's to use; both are checked here.
  const scope = asked === null || asked.trim() === '' ? place.scope.text : asked;
  const reply = await fromPort('the search', () =>
    crew.material.search.search({ query, k, wide, signal, ...(scope !== undefined && { scope }) }),
  );
  const hits = reply.hits.filter(({ path }) => place.scope.admits(path) && within(path)).slice(0, k);
  if (hits.length === 0 && asked !== null) await checkCase(asked, crew, place, signal);
  const texts = await textsOf(hits, crew);
  return {
    value: hits.map(({ path, start, end, score }, index) => ({
      path,
      start,
      end,
      score,
      text: texts[index]!,
    })),
    summary: `${hits.length} hits for ${JSON.stringify(query)}`,
  };
};

/** Throws where the scope is empty for no other reason than its case. */
export async function checkCase(
  scope: string,
  { material }: Crew,
  place: Place,
  signal: AbortSignal,
): Promise<void> {
  if (material.paths === undefined) return;
  const { paths } = await fromPort('the listing', async () => material.paths!({ signal }));
  const there = paths.filter((path) => place.scope.admits(path));
  const within = scopeMatcher(scope);
  if (there.some((path) => within(path))) return;
  const meant = inOtherCase(scope, there);
  if (meant.length > 0)
    throw new SondeError('bad_pattern', {
      message: `nothing is in the scope ${JSON.stringify(scope)}, but in another case there is: ${meant.join(', ')}`,
      remedy: 'Upper and lower case count: write it as the paths have it.',
    });
}

async function textsOf(hits: readonly SpanHit[], crew: Crew): Promise<readonly string[]> {
  const lines = new Map<string, readonly string[]>();
  const paths = [...new Set(hits.map(({ path }) => path))];
  const next = paths.values();
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for (const path of next) {
        const file = await fromPort('reading', () => crew.material.text.readText(path, null)).catch(
          () => null,
        );
        lines.set(path, file?.kind === 'text' ? file.lines : []);
      }
    }),
  );
  return hits.map(({ path, start, end }) => {
    const text = (lines.get(path) ?? []).slice(start - 1, end).join('\n');
    return text.length > hitText ? `${text.slice(0, hitText)}…` : text;
  });
}

export const kbRead: Helper = async (args, { crew, place }) => {
  const path = textArgument(args, 'path', longestPath);
  const from = wholeArgument(args, 'start', 1, Number.MAX_SAFE_INTEGER) ?? 1;
  const to = wholeArgument(args, 'end', 1, Number.MAX_SAFE_INTEGER);
  const { lines, content } = await textOf(path, crew, place);
  const total = lines.length;
  if (from > Math.max(total, 1) || (to !== null && to < from))
    throw new SondeError('span_out_of_range', {
      message: `${path} has ${total} lines; ${from} to ${to ?? total} are not among them`,
    });
  const end = Math.min(to ?? total, total);
  const text = lines.slice(from - 1, end).join('\n');
  if (text.length > longestRead)
    refuse(
      `${path}, lines ${from} to ${end}, has ${text.length} characters, where ${longestRead} are allowed at once`,
      'Read a part: kb_read(path, start, end).',
    );
  return {
    value: { path, text, start: from, end, total },
    ...(end >= from && {
      gains: { reads: [{ path, commit: null, start: from, end, ...(content && { content }) }] },
    }),
    summary: `${path}:${from}-${end}`,
  };
};

/** Throws what says why there is none. */
export async function textOf(path: string, crew: Crew, place: Place): Promise<FileText> {
  if (!place.scope.admits(path))
    throw new SondeError('outside_root', {
      message:
        place.scope.text === undefined
          ? `${path} is outside the material`
          : `${path} is outside the scope ${place.scope.text}`,
    });
  const file = await fromPort('reading', () => crew.material.text.readText(path, null));
  if (file.kind === 'text') return file;
  throw new SondeError(file.reason === 'missing' ? 'not_found' : 'not_text', {
    message: file.message,
    ...(file.reason === 'missing' && { remedy: 'Paths are those that kb_search gives.' }),
  });
}

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
