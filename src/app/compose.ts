/**
 * The composition of the top-level folders. Everything else receives what it needs as arguments. Folders are imported
 * when they are needed, so that a command loads only what it uses.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkScopeMatches } from '../core/index.ts';
import type {
  IndexProgress,
  IndexReport,
  SearchIndex,
  TreeIndexOptions,
  UnusualFiles,
} from '../search/index.ts';
import type { Store, StoreOptions } from '../store/index.ts';
import type { Material } from '../tasks/index.ts';
import {
  type Configuration,
  databaseFile,
  isTrusted,
  processEnvironment,
  storeAddress,
} from './config/index.ts';
import { maskHistory, openMasker } from './masking.ts';
import { treeIndexFolder, useIndexFolder } from './search/index-folders.ts';

interface RunsOptions extends Pick<StoreOptions, 'unsynced'> {
  readonly file?: string | undefined;
  /** The team for which a front uses the shared store; empty: the operators of the store. */
  readonly team?: string;
  /** How long to wait for a server that can't be reached, in milliseconds, and whom to inform. */
  readonly waiting?: {
    readonly patienceMs: number;
    readonly onAway: () => void;
    readonly signal?: AbortSignal;
  };
}

/** Opens the store of runs: the user's own, the shared one, or `file`. Throws if the database cannot be opened. */
export async function openRuns(
  { directories, values }: Pick<Configuration, 'directories' | 'values'>,
  { file, waiting, team, ...options }: RunsOptions = {},
): Promise<Store> {
  if (file === undefined && values.store === 'postgres') {
    const { openPostgresStore } = await import('../store/postgres/index.ts');
    return openPostgresStore({ url: storeAddress(values), ...waiting, ...(team !== undefined && { team }) });
  }
  const { openStore } = await import('../store/run-store.ts');
  const path = file ?? databaseFile(directories);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openStore(path, options);
}

/** Options to find Git as the user's shell does. */
export const gitOptions = () => {
  const { PATH: searchPath } = processEnvironment();
  return searchPath === undefined ? {} : { searchPath };
};

/** `watch`: for a server, the operating system reports the files that change between two refreshes. */
type IndexOptions = Pick<TreeIndexOptions, 'watch'>;

/** Opens the index of a folder without updating it; `refresh` does that. */
export async function openIndex(
  configuration: Configuration,
  root: string,
  { watch = false }: IndexOptions = {},
): Promise<SearchIndex> {
  const { directories, values } = configuration;
  const [{ openTreeIndex }, { createHistoryReader, repositoryStamp, trackedPathsFinder: trackedPaths }] =
    await Promise.all([import('../search/index.ts'), import('../code/tree.ts')]);
  // Loading the providers of models takes longer than a search.
  const embedder =
    values.embeddings === 'off'
      ? undefined
      : await (await import('./search/embeddings.ts')).openEmbedder(values);
  const mask = openMasker(configuration);
  const directory = useIndexFolder(treeIndexFolder(directories, root));
  return openTreeIndex({
    root,
    directory,
    watch,
    mask: mask.recipe,
    history: maskHistory(createHistoryReader({ root, git: gitOptions() }), mask),
    tracked: trackedPaths({ root, git: gitOptions() }),
    repositoryStamp: () => repositoryStamp(root),
    units: async () => (await import('../code/definitions/definition-units.ts')).definitionUnits,
    ...(embedder !== undefined && { embedder }),
  });
}

export interface OpenMaterial {
  readonly ports: Material;
  /** The indexed files, in order of their paths. */
  paths(scope?: string): Promise<readonly string[]>;
  /** Texts of the folder that were not indexed, a line for each reason; empty if all were. */
  readonly textsLeftOut: readonly string[];
  /** How long this process waited for another one that was indexing. Milliseconds. */
  readonly waited: number;
  close(): void;
}

/** Returns the time that a run has left after it waited for the index, in milliseconds; at least 1. */
export const subtractWait = (limit: number, waited: number): number =>
  limit <= 0 ? limit : Math.max(1, Math.floor(limit - waited));

export interface MaterialWatch {
  readonly signal?: AbortSignal;
  readonly onIndex?: (progress: IndexProgress) => void;
  /** Maximum time to wait for another process that indexes the folder. Milliseconds. */
  readonly wait?: number;
  /** Globs. A scope that matches no file throws `bad_pattern`. */
  readonly scope?: string;
}

function toCoverage(report: IndexReport, unreadHistory: string | null): NonNullable<Material['coverage']> {
  const skipped = Object.values(report.skipped).reduce((sum, count) => sum + count, 0);
  return {
    files: report.files,
    skipped,
    completeness: report.left_out.length > 0 || !report.current ? 'partial' : 'complete',
    notes: [
      ...(report.files === 0 && report.current ? ['There is no text file here that could be searched.'] : []),
      // A note may be in both lists.
      ...new Set([...report.notes, ...report.left_out]),
      ...(unreadHistory === null ? [] : [`The history was not looked at: ${unreadHistory}`]),
    ],
  };
}

/** Throws `bad_pattern` if a complete index has no file in the scope. An incomplete index proves nothing. */
export async function checkScope(
  index: { paths(): Promise<readonly string[]> },
  { current, files }: Pick<IndexReport, 'current' | 'files'>,
  scope: string | undefined,
): Promise<void> {
  if (scope !== undefined && current && files > 0) checkScopeMatches(scope, await index.paths());
}

/** Opens the index of a folder, without updating it, and readers of its texts. */
export async function openTree(configuration: Configuration, root: string, options?: IndexOptions) {
  const { maskTexts, ripgrep, treeReader } = await import('../code/tree.ts');
  const index = await openIndex(configuration, root, options);
  return {
    index,
    text: maskTexts(treeReader({ root, git: gitOptions() }), openMasker(configuration)),
    /** Its lines are not masked. The caller must mask them before showing them. */
    grep: ripgrep({ root, unusual: () => index.unusual() }),
  };
}

/**
 * Opens all readers of a folder, confined to it, with secrets masked. The index is not updated.
 */
export async function openPorts(configuration: Configuration, root: string, options?: IndexOptions) {
  const { definitionUnits, createGitHistory, maskHistory, nameFinder, symbolReader, textualDefinitions } =
    await import('../code/index.ts');
  const { maskGrep } = await import('../code/tree.ts');
  const { definitionSearch } = await import('../search/definition-search.ts');
  const git = gitOptions();
  const { index, text, grep } = await openTree(configuration, root, options);
  const mask = openMasker(configuration);
  const maskedGrep = maskGrep(grep, text, mask);
  const past = maskHistory(createGitHistory({ root, git }), text, mask);
  const { syntax, words } = await openSyntax(configuration, root, () => index.unusual());
  const servers = await openServers(configuration, root);
  return {
    index,
    text,
    grep: maskedGrep,
    past,
    names: nameFinder({ root, grep: maskedGrep, past }),
    // Uses the unmasked grep, since it returns only names and line numbers and searches many lines.
    definitions: textualDefinitions({ grep, reader: text, syntax }),
    definitionSearch: definitionSearch({ search: index, text, units: definitionUnits }),
    symbols: symbolReader({ root, reader: text, syntax, words, git, servers }),
    servers,
  };
}

/** Opens the symbol reader of a folder, with secrets masked. Needs no index. */
export async function openSymbols(configuration: Configuration, root: string) {
  const { symbolReader, textualDefinitions, trackedIgnoredFinder } = await import('../code/index.ts');
  const { maskTexts, ripgrep, treeReader } = await import('../code/tree.ts');
  const git = gitOptions();
  const text = maskTexts(treeReader({ root, git }), openMasker(configuration));
  const unusual = trackedIgnoredFinder({ root, git });
  const { syntax, words } = await openSyntax(configuration, root, unusual);
  const servers = await openServers(configuration, root);
  const symbols = symbolReader({ root, reader: text, syntax, words, git, servers });
  return {
    text,
    symbols,
    definitions: textualDefinitions({ grep: ripgrep({ root, unusual }), reader: text, syntax }),
    async close() {
      words.close();
      await Promise.all([syntax.close(), servers?.close()]);
    },
  };
}

/** Opens the syntax reader and the word index. Both are cached beside the search index. */
async function openSyntax(
  { directories }: Configuration,
  root: string,
  unusual: () => Promise<UnusualFiles>,
) {
  const { openFactsCache, syntaxReader, wordFiles, wordIndex } = await import('../code/index.ts');
  const folder = join(useIndexFolder(treeIndexFolder(directories, root)), 'code');
  return {
    syntax: syntaxReader({ cache: openFactsCache(join(folder, 'facts')) }),
    words: wordIndex(wordFiles({ root, unusual }), { root, file: join(folder, 'words') }),
  };
}

/** Opens only grep and file reading, without an index. The search by grep is for runs without a model. */
export async function openGrepOnly(configuration: Configuration, root: string) {
  const { maskGrep, maskTexts, ripgrep, searchByGrep, treeReader } = await import('../code/tree.ts');
  const mask = openMasker(configuration);
  const text = maskTexts(treeReader({ root, git: gitOptions() }), mask);
  const grep = maskGrep(ripgrep({ root }), text, mask);
  const search = searchByGrep(grep);
  return {
    ports: { material: { search, text, grep, withheld: ['hybrid_search'] } },
    waited: 0,
    close() {},
  };
}

/** Opens the configured language servers; undefined if none is configured. */
export async function openServers(
  { values, directories }: Pick<Configuration, 'values' | 'directories'>,
  root: string,
  /** The folder that must be trusted, if it is not the one that is read. */
  trustedFolder = root,
) {
  const configuredServers = values.language_servers;
  if (Object.keys(configuredServers).length === 0) return undefined;
  const [{ languageServers }, { repositoryStamp }] = await Promise.all([
    import('../code/servers/index.ts'),
    import('../code/tree.ts'),
  ]);
  const environment = processEnvironment();
  return languageServers({
    root,
    wishes: configuredServers,
    folder: join(directories.cache, 'servers'),
    searchPath: environment['PATH'] ?? '',
    home: environment['HOME'] ?? '',
    isTrusted: isTrusted(join(trustedFolder, 'file'), values.trusted_projects, environment),
    stamp: () => repositoryStamp(root),
  });
}

/** Opens the readers of a folder for a run, and updates the index. */
export async function openMaterial(
  configuration: Configuration,
  root: string,
  { signal, onIndex, wait, scope }: MaterialWatch,
): Promise<OpenMaterial> {
  const { index, past, servers, ...rest } = await openPorts(configuration, root);
  // A history that cannot be read is not offered.
  const ports = (await past.readable?.()) === false ? rest : { ...rest, past };
  const unreadHistory = ports === rest ? await past.unreadableReason?.() : null;
  try {
    const report = await index.refresh({
      ...(signal !== undefined && { signal }),
      ...(onIndex !== undefined && { onProgress: onIndex }),
      ...(wait !== undefined && { wait }),
    });
    await checkScope(index, report, scope);
    const { searchByGrep } = await import('../code/tree.ts');
    const search = report.current || report.files > 0 ? index : searchByGrep(ports.grep);
    return {
      ports: { search, ...ports, coverage: toCoverage(report, unreadHistory ?? null) },
      paths: (scope) => index.paths(scope),
      textsLeftOut: report.current ? report.texts_left_out : report.notes,
      waited: report.waited_ms,
      close: () => {
        void servers?.close();
        index.close();
      },
    };
  } catch (error) {
    index.close();
    throw error;
  }
}
