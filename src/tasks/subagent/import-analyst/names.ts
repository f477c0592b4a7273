/** Compares names of pages, tags and properties that people may confuse. */

/** The name without case, accents and separators. */
export function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/&/g, 'and')
    .replace(/[^\p{L}\p{N}+#]/gu, '');
}

/** `cats` becomes `cat`, if enough letters are left. */
export function singular(name: string): string {
  const plain = plainName(name);
  return plain.length > 3 ? plain.replace(/s$/, '') : plain;
}

export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Groups names that differ only in case, accents, separators or a plural s. */
export function groupAlike(names: Iterable<string>): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const key = singular(name);
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Common names of pages: a link with such a name from another folder is ambiguous. */
const commonNames: ReadonlySet<string> = new Set(['readme', 'index', 'home', 'todo', 'contents', 'notes']);

/** Shorter names often differ by one letter without being a mistake. */
const minLetters = 6;

export interface NearNames {
  /** The path of the only page with the same path or name, apart from case and separators; null if none or several. */
  same(target: string): string | null;
  /** The path of the only page whose name differs by at most one letter; null if there are none or several. */
  close(target: string): string | null;
}

/**
 * Looks up names with a typing error: two names that differ by one letter become equal if a letter is removed from
 * one or both (as in SymSpell).
 */
export function createNearNames(paths: readonly string[]): NearNames {
  const byPath = new Map<string, Set<string>>();
  const byName = new Map<string, Set<string>>();
  const byForm = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, key: string, path: string) => {
    const pathsOfKey = map.get(key) ?? new Set();
    pathsOfKey.add(path);
    map.set(key, pathsOfKey);
  };
  for (const path of paths) {
    const name = plainName(lastPart(path));
    // The name consists of punctuation alone.
    if (name === '') continue;
    add(byPath, plainName(path), path);
    add(byName, name, path);
    if (name.length >= minLetters) for (const form of formsWithoutOneLetter(name)) add(byForm, form, path);
  }
  const singlePath = (found: ReadonlySet<string> | undefined): string | null =>
    found?.size === 1 ? ([...found][0] ?? null) : null;
  return {
    same(target) {
      const name = plainName(lastPart(target));
      const byWholePath = singlePath(byPath.get(plainName(target)));
      return byWholePath ?? (commonNames.has(name) ? null : singlePath(byName.get(name)));
    },
    close(target) {
      const name = plainName(lastPart(target));
      if (name.length < minLetters) return null;
      const found = new Set<string>();
      for (const form of formsWithoutOneLetter(name))
        for (const path of byForm.get(form) ?? []) found.add(path);
      return singlePath(found);
    },
  };
}

function formsWithoutOneLetter(name: string): readonly string[] {
  return [name, ...Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1))];
}
