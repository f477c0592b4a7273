import type { TreeState } from '../lexical/refresh/tree-state.ts';
import type { SkippedFiles } from '../search.ts';
import { isDocumentName } from './walk.ts';
import { defaultLimits } from './walk-limits.ts';

/** Reports the files of a tree that are not in its index. */

/** Maximum number of names in one line. */
const maxNames = 5;

type Reason = Exclude<keyof SkippedFiles, 'minified'> | 'withheld';

const reasonTexts: Readonly<Record<Reason, (count: number) => string>> = {
  ignored: (count) => `${count} that the project's rules ignore`,
  withheld: (count) => `${count} whose names say that they hold secrets`,
  binary: (count) => `${count} that are not text, or not in an encoding that is read`,
  huge: (count) => `${count} of more than ${defaultLimits.maxFileBytes >> 20} MB`,
  unreadable: (count) => `${count} that could not be read`,
  linked: (count) => `${count} that are links out of the folder`,
};

export interface LeftOut {
  readonly line: string;
  /** Whether the user may want to act: the files are too large or could not be read. */
  readonly needsAttention: boolean;
  /**
   * Whether these files may contain text of the material. Pictures and programs contain none; ignored files are not
   * material.
   */
  readonly mayHoldText: boolean;
}

/** A cache of the lines for a state. A refresh of a few paths does not change them. */
const reportedLines = new WeakMap<
  TreeState,
  { readonly skipped: string; readonly lines: readonly LeftOut[] }
>();

/** One line per reason; empty if all files are in the index. */
export function listLeftOut(state: TreeState | null, skipped: SkippedFiles): readonly LeftOut[] {
  if (state === null) return createLines(null, skipped);
  const key = JSON.stringify(skipped);
  const known = reportedLines.get(state);
  if (known?.skipped === key) return known.lines;
  const lines = createLines(state, skipped);
  reportedLines.set(state, { skipped: key, lines });
  return lines;
}

function createLines(state: TreeState | null, skipped: SkippedFiles): readonly LeftOut[] {
  const names = new Map<Reason, string[]>();
  const addNames = (reason: Reason, paths: readonly string[]): void => {
    const known = names.get(reason);
    if (known === undefined) names.set(reason, [...paths]);
    else known.push(...paths);
  };
  const tracked = new Set(state?.tracked);
  for (const { left } of state?.folders ?? [])
    for (const [reason, paths] of Object.entries(left ?? {}))
      addNames(
        reason === 'link' ? 'linked' : (reason as Reason),
        paths.filter((path) => !tracked.has(path)),
      );
  for (const { path, reason } of state?.passed ?? []) addNames(reason, [path]);
  // A file that was opened may be text in an unknown encoding. Files left out by name are pictures, programs or archives.
  const mayBinaryHoldText =
    state === null ||
    state.passed.some(({ reason }) => reason === 'binary') ||
    (names.get('binary') ?? []).some((path) => isDocumentName(path));
  const folders = new Set(state?.folders.map(({ path }) => path));
  // A folder that is left out as a whole was counted once, so tracked files in it are not subtracted.
  const includedTracked = [...tracked].filter((path) =>
    folders.has(path.slice(0, Math.max(0, path.lastIndexOf('/')))),
  );
  const withheld = names.get('withheld')?.length ?? 0;
  const counts: Readonly<Record<Reason, number>> = {
    ...skipped,
    withheld,
    ignored: Math.max(0, skipped.ignored - withheld - includedTracked.length),
  };
  return (Object.keys(reasonTexts) as Reason[]).flatMap((reason) => {
    const count = counts[reason];
    if (count === 0) return [];
    const shown = (names.get(reason) ?? []).slice(0, maxNames);
    const more = count > shown.length ? ', \u2026' : '';
    const text =
      reason === 'binary' && !mayBinaryHoldText
        ? `${count} that hold no text, by their names`
        : reasonTexts[reason](count);
    const line = `left out: ${text}${shown.length === 0 ? '' : ` (${shown.join(', ')}${more})`}`;
    const needsAttention = reason === 'huge' || reason === 'unreadable';
    return [
      {
        line,
        needsAttention,
        mayHoldText: reason === 'binary' ? mayBinaryHoldText : reason !== 'ignored',
      },
    ];
  });
}
