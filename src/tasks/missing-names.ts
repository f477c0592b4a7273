/** Checks, before a run spends anything, whether the names in its question occur at all. */
import type { FoundNames, NameFinder, Step } from '../core/index.ts';
import { findAskedNames } from './asked-names.ts';

export interface LookUp {
  readonly question: string;
  readonly names: NameFinder | undefined;
  readonly scope: string | undefined;
  readonly step: Step;
}

export interface Missing extends FoundNames {
  /** The run need not begin: the answer is that the names do not occur here. */
  readonly refused: boolean;
}

const nothing: Missing = Object.freeze({ missing: [], notes: [], refused: false });

/** Recorded, so that a resumed or replayed run decides the same. */
export async function missingNames({ question, names, scope, step }: LookUp): Promise<Missing> {
  const askedNames = findAskedNames(question);
  const stepResult = await step<Missing>('names', {
    async run(signal) {
      if (names === undefined || askedNames.names.length === 0) return { value: nothing, record: false };
      try {
        const found = await names.find({
          names: askedNames.names,
          signal,
          ...(scope !== undefined && { scope }),
        });
        return { value: { ...found, refused: askedNames.isAbout && found.missing.length > 0 } };
      } catch {
        // If a name can't be looked up, the run goes on: its searches report what is wrong.
        return { value: nothing, record: false };
      }
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : nothing;
}

/** The message for the person who asked. */
export function missingText(missing: readonly string[], scope: string | undefined): string {
  const names = missing.map((name) => `\`${name.replaceAll('`', '')}\``);
  const listed = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const where = scope === undefined ? 'here' : `within ${scope}`;
  const occur = names.length === 1 ? 'occurs' : 'occur';
  return `${listed} ${occur} in no file, path or commit ${where}. What searches leave out was looked through as bytes, too, but for files that hold secrets by their name.`;
}
