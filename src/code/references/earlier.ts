/** The tree with removed definitions put back, so that their users are found by the same rules. */
import { type Definition, type FileFacts, listUses, packUses, type Use } from '../facts/facts.ts';
import type { CodeSources } from './survey.ts';
import { symbolOf } from './targets.ts';

export interface EarlierFile {
  /** The facts of the file as it is now, with those of its removed definitions: see `addRemoved`. */
  readonly facts: FileFacts;
  /** The whole file was deleted. */
  readonly gone: boolean;
}

/**
 * The facts of the current file, plus the definitions, imports and exports that only its old text has. All uses are
 * those of the current text. A use without a definition in it refers to the removed one.
 */
export function addRemoved(path: string, now: FileFacts | null, old: FileFacts): FileFacts {
  const kept = now?.definitions ?? [];
  const known = new Map<string, number>();
  for (const [index, one] of kept.entries()) known.set(symbolOf(now!, path, one), index);
  const newIndexes: number[] = [];
  let next = kept.length;
  for (const definition of old.definitions) {
    const index = known.get(symbolOf(old, path, definition));
    newIndexes.push(index ?? next);
    if (index === undefined) next += 1;
  }
  const removed = old.definitions
    .filter((_, index) => newIndexes[index]! >= kept.length)
    .map((one): Definition => ({ ...one, parent: newIndexes[one.parent] ?? -1 }));
  const definitions = [...kept, ...removed];
  const taken = new Set([...kept.map(({ name }) => name), ...(now?.imports ?? []).map(({ local }) => local)]);
  const given = new Set(now?.exports.map(({ name, module }) => `${name} ${name === '*' ? module : ''}`));
  return {
    ...(now ?? old),
    errors: now?.errors ?? [],
    definitions,
    imports: [...(now?.imports ?? []), ...old.imports.filter(({ local }) => !taken.has(local))],
    exports: [
      ...(now?.exports ?? []),
      ...old.exports.filter(({ name, module }) => !given.has(`${name} ${name === '*' ? module : ''}`)),
    ],
    fields: [
      ...(now?.fields ?? []),
      ...old.fields
        .map((field) => ({ ...field, owner: newIndexes[field.owner] ?? -1 }))
        .filter(({ owner }) => owner >= kept.length),
    ],
    uses: packUses(now === null ? [] : bindUses(listUses(now, {}), definitions, kept.length)),
  };
}

/** A top-level definition binds its name, as before the change. */
function bindUses(uses: readonly Use[], definitions: readonly Definition[], first: number): readonly Use[] {
  const tops = new Map<string, number>();
  for (const [index, { name, parent, owner, flags }] of definitions.entries())
    if (index >= first && parent < 0 && owner === undefined && !flags.includes('local'))
      tops.set(name, index);
  return uses.map((use) => {
    if (use.binding !== null || use.role === 'string' || use.role === 'key' || use.role === 'import')
      return use;
    const name = use.receiver === null ? use.name : use.receiver.split(/\.|::|\(/)[0]!;
    const index = tops.get(name);
    return index === undefined ? use : { ...use, binding: { kind: 'definition', index } };
  });
}

/** The sources, with these files in place of their current versions. */
export function overlayEarlierFiles(
  sources: CodeSources,
  files: ReadonlyMap<string, EarlierFile>,
): CodeSources {
  const { words, reader, syntax, servers } = sources;
  const gone = [...files].filter(([, file]) => file.gone).map(([path]) => path);
  const mergePaths = (paths: readonly string[], more: readonly string[]) =>
    [...new Set([...paths, ...more])].sort();
  return {
    ...sources,
    // A server knows only the current files.
    servers: servers && { ...servers, serves: (path) => !files.has(path) && servers.serves(path) },
    words: {
      linesMatching: (...asked) => words.linesMatching(...asked),
      async listFiles(signal) {
        const { paths, cut } = await words.listFiles(signal);
        return { paths: mergePaths(paths, gone), cut };
      },
      async filesContaining(wanted, signal) {
        const { paths, cut } = await words.filesContaining(wanted, signal);
        const defining = [...files]
          .filter(([, { facts }]) => facts.definitions.some(({ name }) => wanted.includes(name)))
          .map(([path]) => path);
        return { paths: mergePaths(paths, defining), cut };
      },
    },
    reader: {
      readText: async (path, commit) =>
        files.get(path)?.gone === true ? { kind: 'text', lines: [] } : reader.readText(path, commit),
    },
    syntax: {
      read: async (path, text, signal, left) => {
        const file = files.get(path);
        return file === undefined
          ? syntax.read(path, text, signal, left)
          : { kind: 'facts', facts: file.facts };
      },
      close: () => syntax.close(),
    },
  };
}
