/** Reads spans of files as evidence of a tool. Paths that leave the root are refused. */
import type { CodeContext, EntryOutput } from '../../catalogue/index.ts';
import { type Evidence, SondeError, scopeMatcher, type TextReader, toEvidence } from '../../core/index.ts';

/** Maximum lines of one piece of evidence. */
export const maxLines = 200;

/** Throws `outside_root` for a path that leaves the root, or that no scope includes, such as a file with secrets. */
export function requireInside(path: string, scope: string | undefined): string {
  const clean = path.trim().replace(/^(?:\.\/)+/, '');
  const steps = clean.split('/');
  const inside =
    clean !== '' && !/^[A-Za-z]:|[\\\0]/.test(clean) && !steps.some((step) => /^\.{0,2}$/.test(step));
  if (inside && scopeMatcher(scope)(clean)) return clean;
  throw new SondeError('outside_root', {
    message: `${JSON.stringify(path.slice(0, 200))} is not in the folder${scope === undefined ? '' : ` within ${scope}`}`,
    remedy: 'Name a file relative to the root, as search and grep give it.',
  });
}

/** Reads the lines at once. A span that can't be read gives a note and no evidence. */
export const createCollector =
  (text: TextReader): CodeContext['collect'] =>
  async (finds) => {
    const read = await Promise.all(
      finds.map(async (find) => {
        const file = await text.readText(find.path, find.commit ?? null);
        return file.kind === 'unreadable' ? file.message : toEvidence(file, find, { lines: maxLines });
      }),
    );
    const evidence = read.filter((item) => typeof item !== 'string');
    const cut = read.filter(
      (item, index): item is Evidence =>
        typeof item !== 'string' &&
        item.end_line < finds[index]!.end &&
        item.end_line - item.start_line + 1 === maxLines,
    );
    const continueNotes = cut.map(({ end_line }) => `go on with start_line ${end_line + 1}`);
    const unreadable = read.filter((item) => typeof item === 'string');
    return {
      evidence,
      notes: [...unreadable, ...continueNotes],
      cut: continueNotes.length > 0,
    } satisfies EntryOutput;
  };
