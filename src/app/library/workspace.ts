/** A workspace for programs: reads, searches and writes its pages by plain names. */
import type { Caller } from '../../core/index.ts';
import type {
  InboxItem,
  Page,
  PageHit,
  PageQuery,
  PageText,
  SubmitResult,
  View,
  World,
  WorldOperation,
  WriteRequest,
} from '../../world/index.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';
import { checkOptions, checkText, type OptionNames } from './known-options.ts';

export interface WorkspaceOptions {
  /** False: throws `not_found` if the workspace does not exist. Absent: it is created. */
  readonly make?: boolean;
}

/** The options of a write. A write without `agent` is the author's own. */
export interface Write extends Partial<Omit<WriteRequest, 'operation' | 'caller' | 'idempotencyKey'>> {
  /** The name of the agent that writes. Its text is a candidate until the author promotes it. */
  readonly agent?: string;
  /** A second write with the same key changes nothing, and returns the first result. */
  readonly idempotencyKey?: string;
}

export interface PageTextHit extends Omit<PageHit, 'snippet'> {
  /** The lines that match best. */
  readonly text: string;
}

export interface Workspace
  extends Disposable,
    Pick<OpenWorkspace, 'path' | 'analyse' | 'import' | 'importRuns' | 'undo' | 'export' | 'sync'> {
  readonly name: string;
  pages(): readonly Page[];
  /** A page by its path, alias or id, with its text; null if there is none. */
  read(name: string, view?: View): (PageText & { readonly text: string }) | null;
  /** Best first. `k`: 10 by default. */
  search(query: string, options?: Omit<PageQuery, 'query'>): Promise<readonly PageTextHit[]>;
  /** Returns whether the write was applied, held for the author, or refused, and why; a refusal is not thrown. */
  write(operation: WorldOperation, options?: Write): SubmitResult;
  /** What waits for the author. Listing an item counts as showing it: only what was shown can be decided on. */
  inbox(limit?: number): readonly InboxItem[];
  /** Everything else about a workspace: links, history, provenance, flags. */
  readonly world: World;
  close(): void;
}

const searchOptionNames: OptionNames<Omit<PageQuery, 'query'>> = {
  ...{ k: true, wide: true, under: true, tag: true, view: true, signal: true },
};

const writeOptionNames: OptionNames<Write> = {
  ...{ agent: true, idempotencyKey: true, source: true, derivedFrom: true, baseRevision: true },
  ...{ contradicts: true, divergedFrom: true, replaces: true, lifecycle: true, observed: true },
};

/**
 * Opens a workspace by its name, as `--workspace` takes it, or by its file: a path with / in it, or with .db at its
 * end. Throws `not_found`, `bad_argument`, and the errors of a damaged file.
 */
export async function workspace(name: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  checkText('workspace', 'its name', name);
  checkOptions('workspace', options, { make: true } satisfies OptionNames<WorkspaceOptions>);
  const { make = true } = options;
  const [{ author, openWorkspace, workspacePath }, { worldWrite, joinPageText }] = await Promise.all([
    import('../workspace/workspace.ts'),
    import('../../world/index.ts'),
  ]);
  const opened = await openWorkspace(workspacePath(name), { make });
  const { world, path } = opened;
  const read: Workspace['read'] = (name, view) => {
    checkText('read', 'the name of a page', name);
    const page = world.page(name);
    const text = page === null ? null : world.read(page.id, view);
    return text === null ? null : { ...text, text: joinPageText(text) };
  };
  return Object.freeze({
    name: world.workspace.name,
    path,
    world,
    pages: () => world.pages(),
    read,
    async search(query: string, options: Omit<PageQuery, 'query'> = {}) {
      checkText('search', 'a query', query);
      checkOptions('search', options, searchOptionNames);
      const { searchPages } = await import('../workspace/search.ts');
      const { hits } = await searchPages(world, { query, ...options });
      return hits.map(({ snippet, ...hit }) => ({ ...hit, text: snippet }));
    },
    write(operation: WorldOperation, options: Write = {}) {
      checkOptions('write', options, writeOptionNames);
      const { agent, idempotencyKey, source = 'library', ...rest } = options;
      const person = author();
      const caller: Caller = agent === undefined ? person : { ...person, kind: 'agent', name: agent };
      return world.submit(
        worldWrite({ operation, caller, source, idempotencyKey: idempotencyKey ?? null, ...rest }),
      );
    },
    inbox(limit?: number) {
      const items = world.inbox(limit);
      world.shown(author().name, items);
      return items;
    },
    analyse: opened.analyse,
    import: opened.import,
    importRuns: opened.importRuns,
    undo: opened.undo,
    export: opened.export,
    sync: opened.sync,
    close: opened.close,
    [Symbol.dispose]: opened.close,
  } satisfies Workspace);
}
