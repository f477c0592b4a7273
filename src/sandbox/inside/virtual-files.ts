/** A read-only tree of files held in memory, the only files the guest can see. Paths have no leading slash. */
export type FileTree = ReadonlyMap<string, Uint8Array>;

export type Entry =
  | { readonly kind: 'file'; readonly path: string; readonly data: Uint8Array }
  | { readonly kind: 'directory'; readonly path: string };

export interface VirtualFiles {
  find(path: string): Entry | null;
  /** Names directly inside a directory, in ascending order. */
  list(directory: string): readonly { readonly name: string; readonly kind: Entry['kind'] }[];
}

export function virtualFiles(files: FileTree): VirtualFiles {
  const directories = new Set(['']);
  for (const path of files.keys()) {
    const parts = path.split('/');
    for (let i = 1; i < parts.length; i++) directories.add(parts.slice(0, i).join('/'));
  }
  const kindOf = (path: string) => (directories.has(path) ? 'directory' : 'file');
  return {
    find: (path) => {
      if (directories.has(path)) return { kind: 'directory', path };
      const data = files.get(path);
      return data ? { kind: 'file', path, data } : null;
    },
    list: (directory) => {
      const prefix = directory === '' ? '' : `${directory}/`;
      const names = new Set<string>();
      for (const path of [...files.keys(), ...directories]) {
        if (path !== '' && path.startsWith(prefix)) names.add(path.slice(prefix.length).split('/')[0]!);
      }
      names.delete('');
      return [...names].sort().map((name) => ({ name, kind: kindOf(prefix + name) }));
    },
  };
}

/** Resolves a path of the guest within a directory; null if it leads out of the tree. */
export function resolvePath(directory: string, path: string): string | null {
  const parts: string[] = path.startsWith('/') || directory === '' ? [] : directory.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
