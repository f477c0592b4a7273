/**
 * The composition: the only place where rooms are put together. Everything else receives what it needs as arguments.
 * Rooms are imported when they are needed, so that a command loads only what it uses.
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
  /** In whose name a front asks a store that is shared; empty: in that of those who run it. */
  readonly team?: string;
  /** How long to wait for a server that can't be reached, and whom to inform. */
  readonly waiting?: {
    readonly patienceMs: number;
    readonly onAway: () => void;
    readonly signal?: AbortSignal;
  };
}

/** The store of runs of this user or team, or of another file. Throws the errors of opening a database. */
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

/** Git, as the user's shell finds it. */
export const gitProgram = () => {
  const { PATH: searchPath } = processEnvironment();
  return searchPath === undefined ? {} : { searchPath };
};

/** For a process that stays, `watch`: the system tells what has changed between two refreshes. */
type IndexOptions = Pick<TreeIndexOptions, 'watch'>;

/** The index of a folder, not brought up to date: call `refresh` for that. */
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
    history: maskHistory(createHistoryReader({ root, git: gitProgram() }), mask),
    tracked: trackedPaths({ root, git: gitProgram() }),
    repositoryStamp: () => repositoryStamp(root),
    units: async () => (await import('../code/definitions/definition-units.ts')).definitionUnits,
    ...(embedder !== undefined && { embedder }),
  });
}

export interface OpenMaterial {
  readonly ports: Material;
  /** The indexed files, in order of their paths. */
  paths(scope?: string): Promise<readonly string[]>;
  /** What of the texts of the folder was not read, a line for each reason; empty if they all are. */
  readonly textsLeftOut: readonly string[];
  /** How long this process waited because another one held the index. Milliseconds. */
  readonly waited: number;
  close(): void;
}

/** The rest of a run's time after it waited for the index. At least a moment is left. */
export const subtractWait = (limit: number, waited: number): number =>
  limit <= 0 ? limit : Math.max(1, Math.floor(limit - waited));

export interface MaterialWatch {
  readonly signal?: AbortSignal;
  readonly onIndex?: (progress: IndexProgress) => void;
  /** How long to wait at most for another process that indexes the folder. Milliseconds. */
  readonly wait?: number;
  /** Refused with `bad_pattern` if no file is in it. */
  readonly scope?: string;
}

function coverageOf(report: IndexReport, unread: string | null): NonNullable<Material['coverage']> {
  const skipped = Object.values(report.skipped).reduce((sum, count) => sum + count, 0);
  return {
    files: report.files,
    skipped,
    completeness: report.left_out.length > 0 || !report.current ? 'partial' : 'complete',
    notes: [
      ...(report.files === 0 && report.current ? ['There is no text file here that could be searched.'] : []),
      // Files that were left out by accident are in both lists.
      ...new Set([...report.notes, ...report.left_out]),
      ...(unread === null ? [] : [`The history was not looked at: ${unread}`]),
    ],
  };
}

/** Throws `bad_pattern` if no file of a folder is in the scope. Files that were not looked at may be. */
export async function checkScope(
  index: { paths(): Promise<readonly string[]> },
  { current, files }: Pick<IndexReport, 'current' | 'files'>,
  scope: string | undefined,
): Promise<void> {
  if (scope !== undefined && current && files > 0) checkScopeMatches(scope, await index.paths());
}

/** Opens what a search of a folder needs: its index, without updating it, and its texts with secrets masked. */
export async function openTree(configuration: Configuration, root: string, options?: IndexOptions) {
  const { maskTexts, ripgrep, treeReader } = await import('../code/tree.ts');
  const index = await openIndex(configuration, root, options);
  return {
    index,
    text: maskTexts(treeReader({ root, git: gitProgram() }), openMasker(configuration)),
    /** Gives lines unmasked: whoever passes them on masks them. */
    grep: ripgrep({ root, unusual: () => index.unusual() }),
  };
}

/**
 * Everything that may be read below a folder, confined to it, with secrets masked. The index is not brought up to date.
 */
export async function openPorts(configuration: Configuration, root: string, options?: IndexOptions) {
  const { definitionUnits, createGitHistory, maskHistory, nameFinder, symbolReader, textualDefinitions } =
    await import('../code/index.ts');
  const { maskGrep } = await import('../code/tree.ts');
  const { definitionSearch } = await import('../search/definition-search.ts');
  const git = gitProgram();
  const { index, text, grep } = await openTree(configuration, root, options);
  const mask = openMasker(configuration);
  const shownGrep = maskGrep(grep, text, mask);
  const past = maskHistory(createGitHistory({ root, git }), text, mask);
  const { syntax, words } = await openSyntax(configuration, root, () => index.unusual());
  const servers = await openServers(configuration, root);
  return {
    index,
    text,
    grep: shownGrep,
    past,
    names: nameFinder({ root, grep: shownGrep, past }),
    // It gives only places and names, and searches far more lines than anybody is shown.
    definitions: textualDefinitions({ grep, reader: text, syntax }),
    definitionSearch: definitionSearch({ search: index, text, units: definitionUnits }),
    symbols: symbolReader({ root, reader: text, syntax, words, git, servers }),
    servers,
  };
}

/** Opens the parser over a folder, with secrets masked. It needs no index. */
export async function openSymbols(configuration: Configuration, root: string) {
  const { symbolReader, textualDefinitions, trackedIgnoredFinder } = await import('../code/index.ts');
  const { maskTexts, ripgrep, treeReader } = await import('../code/tree.ts');
  const git = gitProgram();
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

/** What was learned of words and syntax is stored beside the index, for the next process. */
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

/** Grep and reading only, without an index. The search is for callers without a model. */
export async function openPlain(configuration: Configuration, root: string) {
  const { maskGrep, maskTexts, ripgrep, searchByGrep, treeReader } = await import('../code/tree.ts');
  const mask = openMasker(configuration);
  const text = maskTexts(treeReader({ root, git: gitProgram() }), mask);
  const grep = maskGrep(ripgrep({ root }), text, mask);
  const search = searchByGrep(grep);
  return {
    ports: { material: { search, text, grep, withheld: ['hybrid_search'] } },
    waited: 0,
    close() {},
  };
}

/** Language servers of the user; undefined if none is configured. */
export async function openServers(
  { values, directories }: Pick<Configuration, 'values' | 'directories'>,
  root: string,
  /** The folder that must be trusted, if it is not the one that is read. */
  trusted = root,
) {
  const wishes = values.language_servers;
  if (Object.keys(wishes).length === 0) return undefined;
  const [{ languageServers }, { repositoryStamp }] = await Promise.all([
    import('../code/servers/index.ts'),
    import('../code/tree.ts'),
  ]);
  const environment = processEnvironment();
  return languageServers({
    root,
    wishes,
    folder: join(directories.cache, 'servers'),
    searchPath: environment['PATH'] ?? '',
    home: environment['HOME'] ?? '',
    isTrusted: isTrusted(join(trusted, 'file'), values.trusted_projects, environment),
    stamp: () => repositoryStamp(root),
  });
}

/** The same for a run, with the index brought up to date. */
export async function openMaterial(
  configuration: Configuration,
  root: string,
  { signal, onIndex, wait, scope }: MaterialWatch,
): Promise<OpenMaterial> {
  const { index, past, servers, ...rest } = await openPorts(configuration, root);
  // A history that cannot be read is not offered.
  const ports = (await past.readable?.()) === false ? rest : { ...rest, past };
  const unread = ports === rest ? await past.unreadableReason?.() : null;
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
      ports: { search, ...ports, coverage: coverageOf(report, unread ?? null) },
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
