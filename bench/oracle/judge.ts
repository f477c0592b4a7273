/** Which of the renamed definitions a compiler finds broken. Many are renamed at once, and told apart where it complains. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compiler, Complaint } from './compilers.ts';
import { freshEnd, keysOf, overlaps, type Renamed, withRenamed } from './rename.ts';

export interface Broken {
  readonly symbol: string;
  readonly complaints: readonly (Complaint & { readonly source: string })[];
}

const keyOf = ({ path, line, text }: Complaint): string => `${path}:${line}:${text.replaceAll(freshEnd, '')}`;

export function judgeIn(root: string, compiler: Compiler) {
  const before = new Set(compiler.check(root).map(keyOf));
  let turns = 0;

  const ask = (all: readonly Renamed[]): readonly Complaint[] => {
    turns += 1;
    return withRenamed(root, all, () => compiler.check(root)).filter((one) => !before.has(keyOf(one)));
  };

  function broken(all: readonly Renamed[]): readonly Broken[] {
    if (all.length === 0) return [];
    const found = ask(all);
    if (found.length === 0) return [];
    const [only] = all;
    if (all.length === 1)
      return [
        {
          symbol: only!.symbol,
          complaints: found
            .slice(0, 4)
            .map((one) => ({ ...one, source: lineAt(root, one).trim().slice(0, 120) })),
        },
      ];
    const suspects = all.filter(({ name }) => found.some((one) => names(root, one, name)));
    if (suspects.length === 0 || suspects.length === all.length) {
      const half = Math.ceil(all.length / 2);
      return [...broken(all.slice(0, half)), ...broken(all.slice(half))];
    }
    const others = all.filter((one) => !suspects.includes(one));
    return [...suspects.flatMap((one) => broken([one])), ...broken(others)];
  }

  return {
    complaintsBefore: before.size,
    get turns() {
      return turns;
    },
    broken: (all: readonly Renamed[], atOnce: number) => batches(all, atOnce).flatMap(broken),
    /** Of those with uses: how many the compiler misses where the definition alone is renamed. A judge that sees nothing finds nothing. */
    seen(all: readonly Renamed[], atOnce: number): number {
      const withUses = all.filter(({ uses }) => uses.length > 0).map((one) => ({ ...one, uses: [] }));
      const sees = (found: readonly Complaint[], { name }: Renamed) =>
        found.some((one) => names(root, one, name));
      let sum = 0;
      for (const batch of batches(withUses, atOnce)) {
        // An error of names may hide one of types: what was not seen among others is asked for again without those.
        for (let left = batch, before = Infinity; left.length > 0 && left.length < before; ) {
          const found = ask(left);
          before = left.length;
          left = left.filter((one) => !sees(found, one));
          sum += before - left.length;
        }
      }
      return sum;
    },
  };
}

const names = (root: string, one: Complaint, name: string): boolean => {
  const word = new RegExp(`(?<![\\w$])${name.replace(/[$#]/g, '\\$&')}(?:${freshEnd})?(?![\\w$])`);
  return word.test(one.text) || word.test(lineAt(root, one));
};

function lineAt(root: string, { path, line }: Complaint): string {
  try {
    return readFileSync(join(root, path), 'utf8').split('\n')[line - 1] ?? '';
  } catch {
    return '';
  }
}

/** No place is renamed twice in one turn. */
function batches(all: readonly Renamed[], atOnce: number): readonly (readonly Renamed[])[] {
  const made: { readonly all: Renamed[]; readonly taken: Set<string> }[] = [];
  for (const one of all) {
    let batch = made.find(({ all: held, taken }) => held.length < atOnce && !overlaps(taken, one));
    if (batch === undefined) {
      batch = { all: [], taken: new Set() };
      made.push(batch);
    }
    batch.all.push(one);
    for (const key of keysOf(one)) batch.taken.add(key);
  }
  return made.map(({ all: held }) => held);
}
