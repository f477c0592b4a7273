/** A workspace for a program: its pages read, searched and written by plain names. */
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

export interface WorkspaceOptions {
  /** False: throws `not_found` where there is none yet. It is made where this is absent. */
  readonly make?: boolean;
}

/** Who acts, beside what is done: the author in person where nobody is named. */
export interface Write extends Partial<Omit<WriteRequest, 'operation' | 'caller' | 'idempotencyKey'>> {
  /** An agent by its name: what it writes is a candidate until the author promotes it. */
  readonly agent?: string;
  /** The same key again writes nothing again, and gives the first result. */
  readonly idempotencyKey?: string;
}

export interface PageTextHit extends Omit<PageHit, 'snippet'> {
  /** The lines that tell most. */
  readonly text: string;
}

export interface Workspace
  extends Disposable,
    Pick<OpenWorkspace, 'path' | 'analyse' | 'import' | 'importRuns' | 'undo' | 'export' | 'sync'> {
  readonly name: string;
  pages(): readonly Page[];
  /** A page by its path, an alias or its id, with its text; null where there is none. */
  read(name: string, view?: View): (PageText & { readonly text: string }) | null;
  /** Best first. `k`: 10 where it isn't said. */
  search(query: string, options?: Omit<PageQuery, 'query'>): Promise<readonly PageTextHit[]>;
  /** Done, held for the author, or refused with its reason: a value in each case. */
  write(operation: WorldOperation, options?: Write): SubmitResult;
  /** What waits for the author. What is given is taken as shown to him, so that it can be decided on. */
  inbox(limit?: number): readonly InboxItem[];
  /** All else that a workspace can be asked: links, history, provenance, flags. */
  readonly world: World;
  close(): void;
}

/**
 * The workspace of a name, as `--workspace` takes it, or of a file: a path with / in it, or with .db at its end.
 * Throws `not_found`, `bad_argument`, and what a damaged file throws.
 */
export async function workspace(name: string, { make = true }: WorkspaceOptions = {}): Promise<Workspace> {
  const [{ author, openWorkspace, workspacePath }, { worldWrite, wholeText }] = await Promise.all([
    import('../workspace/workspace.ts'),
    import('../../world/index.ts'),
  ]);
  const opened = await openWorkspace(workspacePath(name), { make });
  const { world, path } = opened;
  const read: Workspace['read'] = (asked, view) => {
    const page = world.page(asked);
    const text = page === null ? null : world.read(page.id, view);
    return text === null ? null : { ...text, text: wholeText(text) };
  };
  return Object.freeze({
    name: world.workspace.name,
    path,
    world,
    pages: () => world.pages(),
    read,
    async search(query: string, options: Omit<PageQuery, 'query'> = {}) {
      const { searchPages } = await import('../workspace/search.ts');
      const { hits } = await searchPages(world, { query, ...options });
      return hits.map(({ snippet, ...hit }) => ({ ...hit, text: snippet }));
    },
    write(operation: WorldOperation, { agent, idempotencyKey, source = 'library', ...rest }: Write = {}) {
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
