/**
 * The contract of a vault: a folder of Markdown files that can be imported into a world and exported again. The
 * analysis reports what an import would do, and writes nothing; the import submits ordinary writes.
 *
 * An implementer must not: overwrite edits that a person has made since (the world holds such a write as a deviation),
 * delete pages of missing files unless asked to, follow a symbolic link, write into the imported folder, or lose a byte
 * of an unchanged page.
 */
import type { Database } from '../../store/index.ts';
import type { World } from '../world.ts';

/**
 * What an import does with a file. new: creates a page. changed: updates the page. adopted: records that the page has
 * this text. unchanged: nothing. edited_here: nothing, since only the page has changed. conflicting: both have changed;
 * the file's text is held as a deviation. promoted: only the file has changed; its text is held, since the page is the
 * author's. told: nothing, since this text is held already. deleted_here: nothing, since the page was deleted. taken:
 * nothing, since a page that was not imported has the path.
 */
export const fileStates = [
  'new',
  'changed',
  'adopted',
  'unchanged',
  'edited_here',
  'conflicting',
  'promoted',
  'told',
  'deleted_here',
  'taken',
] as const;
export type FileState = (typeof fileStates)[number];

/**
 * Why a file of a vault needs attention. `link`, `unreadable`, `too_large`, `withheld`, `refused`: the file was not
 * imported. `not_written`: the file was not changed. `not_utf8`: it is an attachment. Others: it was imported.
 */
export type ProblemKind =
  | 'front_matter'
  | 'same_name'
  | 'same_but_case'
  | 'not_utf8'
  | 'unreadable'
  | 'too_large'
  | 'link'
  | 'withheld'
  | 'refused'
  | 'not_written';

export interface VaultProblem {
  /** The file, relative to the vault, with `/`. */
  readonly path: string;
  readonly kind: ProblemKind;
  /** One line. */
  readonly message: string;
}

export interface VaultChange {
  readonly path: string;
  readonly state: FileState;
  /** The id of its page; null if there is none. */
  readonly page: string | null;
}

export interface AttachmentCounts {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly bytes: number;
}

/** The result of an analysis or an import. */
export interface VaultReport {
  readonly root: string;
  readonly into: string;
  /** The number of Markdown files in each state. */
  readonly pages: Readonly<Record<FileState, number>>;
  /** All files that are neither `unchanged` nor `edited_here`. */
  readonly changes: readonly VaultChange[];
  readonly attachments: AttachmentCounts;
  /** Imported files that are gone. Their pages stay, unless `deleteRemoved` is given. */
  readonly removed: readonly string[];
  readonly problems: readonly VaultProblem[];
}

export interface VaultAnalysis extends VaultReport {
  readonly links: { readonly resolved: number; readonly unresolved: number };
}

export interface VaultImport extends VaultReport {
  /** The id of the import, `imp-…`, for `undoImport`. */
  readonly run: string;
  /** True: this call continued an interrupted import. */
  readonly resumed: boolean;
  /** True: the import was interrupted. The next one continues it. */
  readonly interrupted: boolean;
  readonly deviations: readonly string[];
  /** Files that are gone, and whose pages were deleted. */
  readonly deleted: readonly string[];
}

/** A world and the database that contains it. */
export interface Workspace {
  readonly world: World;
  readonly database: Database;
}

export interface VaultPlace {
  readonly root: string;
  /** The page path below which the pages of the vault are placed; empty for the top. */
  readonly into?: string;
}

export interface ImportOptions extends VaultPlace {
  readonly device: string;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** Deletes pages whose files are gone, except pages that were changed. */
  readonly deleteRemoved?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ImportRun {
  readonly run: string;
  readonly root: string;
  readonly into: string;
  readonly started: number;
  readonly finished: number | null;
  readonly undone: number | null;
}

export interface UndoReport {
  readonly run: string;
  readonly deleted: readonly string[];
  readonly restored: readonly string[];
  readonly attachments: number;
  /** Files that were left alone, and why. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

export interface ExportOptions {
  readonly to: string;
  /** Exports only this page and the pages below it. */
  readonly under?: string;
  /**
   * Allows a folder that contains files. A file is replaced if its text was imported or exported, or was the text of
   * the page at some time. Other files stay. No file is deleted.
   */
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

export interface ExportReport {
  readonly to: string;
  readonly pages: { readonly written: number; readonly replaced: number; readonly unchanged: number };
  readonly attachments: { readonly copied: number; readonly unchanged: number };
  /** Attachments whose file is gone or has changed, and pages that could not be written. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

export interface Vault {
  analyseVault(workspace: Workspace, place: VaultPlace): Promise<VaultAnalysis>;
  /**
   * Imports a vault. Throws `not_found` and `bad_argument` for the folder, and `store_locked` if another import takes
   * more than a minute.
   */
  importVault(workspace: Workspace, options: ImportOptions): Promise<VaultImport>;
  importRuns(workspace: Workspace): readonly ImportRun[];
  /**
   * Undoes an import; doing so twice changes nothing. Throws `not_found` for the run, and `store_locked` like
   * `importVault`.
   */
  undoImport(
    workspace: Workspace,
    options: { readonly run: string; readonly device: string; readonly clock: () => number },
  ): Promise<UndoReport>;
  /** Exports the pages. Throws `bad_argument` for a folder that has files, unless `replace` is given. */
  exportVault(workspace: Workspace, options: ExportOptions): Promise<ExportReport>;
}
