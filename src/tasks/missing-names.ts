/** Checks, before a run spends anything, whether the names in its question occur at all. */
import type { FoundNames, NameFinder, Step } from '../core/index.ts';
import { findAskedNames } from './asked-names.ts';

export interface NameLookup {
  readonly question: string;
  readonly names: NameFinder | undefined;
  readonly scope: string | undefined;
  readonly step: Step;
}

export interface MissingNames extends FoundNames {
  /** Whether the run ends before it begins, with the answer that the names do not occur here. */
  readonly refused: boolean;
}

const noMissingNames: MissingNames = Object.freeze({ missing: [], notes: [], refused: false });

/** Looks up the names that the question asks about. Recorded, so that a resumed or replayed run decides the same. */
export async function findMissingNames({ question, names, scope, step }: NameLookup): Promise<MissingNames> {
  const askedNames = findAskedNames(question);
  const stepResult = await step<MissingNames>('names', {
    async run(signal) {
      if (names === undefined || askedNames.names.length === 0)
        return { value: noMissingNames, record: false };
      try {
        const found = await names.find({
          names: askedNames.names,
          signal,
          ...(scope !== undefined && { scope }),
        });
        return { value: { ...found, refused: askedNames.isAbout && found.missing.length > 0 } };
      } catch {
        // If a name can't be looked up, the run goes on: its searches report what is wrong.
        return { value: noMissingNames, record: false };
      }
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : noMissingNames;
}

/** The message for the person who asked. */
export function missingNamesText(missing: readonly string[], scope: string | undefined): string {
  const names = missing.map((name) => `\`${name.replaceAll('`', '')}\``);
  const nameList = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const place = scope === undefined ? 'here' : `within ${scope}`;
  const verb = names.length === 1 ? 'occurs' : 'occur';
  return `${nameList} ${verb} in no file, path or commit ${place}. What searches leave out was looked through as bytes, too, but for files that hold secrets by their name.`;
}
