/**
 * The contract of a vault: a folder of Markdown files that is imported into a world and exported again. An import has
 * two phases: the analysis writes nothing and reports what would happen; the run does it, through ordinary writes.
 *
 * An implementer must not: overwrite what a person has edited since (it is submitted, and the world holds it as a
 * deviation), delete what the folder no longer has unless asked to, follow a link of the file system, write
 * into the folder that is imported, or lose a byte of a page that nobody changed.
 */
import type { Database } from '../../store/index.ts';
import type { World } from '../world.ts';

/**
 * What the next run would do with a file. new: create a page. changed: update the page. adopted: nothing, since a page
 * with this text exists. unchanged: nothing. edited_here: nothing, since only the page has changed. conflicting: both
 * have changed, and the file's text is held as a deviation. promoted: only the file has changed, and its text is held
 * as well, since the page is the author's. told: nothing, since the same text was held before as conflicting or
 * promoted. deleted_here: nothing, since the page was deleted. taken: nothing, since another page that was not imported
 * has the path.
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
 * Why a file of a vault needs attention. Files with `link`, `unreadable`, `too_large`, `withheld` or `refused` were not
 * imported, and one with `not_written` was not changed. A file of text that is not UTF-8 is kept as an attachment.
 * Files with any other kind were imported.
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
  /** The page that exists or was made. */
  readonly page: string | null;
}

export interface AttachmentCounts {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly bytes: number;
}

/** The findings of an analysis, or the result of a run. */
export interface VaultReport {
  readonly root: string;
  readonly into: string;
  /** The number of Markdown files in each state. */
  readonly pages: Readonly<Record<FileState, number>>;
  /** All files that are neither `unchanged` nor `edited_here`. */
  readonly changes: readonly VaultChange[];
  readonly attachments: AttachmentCounts;
  /** Files that an earlier run imported and that are gone. Their pages stay, unless asked otherwise. */
  readonly removed: readonly string[];
  readonly problems: readonly VaultProblem[];
}

export interface VaultAnalysis extends VaultReport {
  readonly links: { readonly resolved: number; readonly unresolved: number };
}

export interface VaultImport extends VaultReport {
  /** The id of the import, `imp-…`, for `undoImport`. */
  readonly run: string;
  /** The import had been interrupted and was completed by this call. */
  readonly resumed: boolean;
  /** Whether the import was interrupted. Another run continues it. */
  readonly interrupted: boolean;
  readonly deviations: readonly string[];
  /** Files whose pages were deleted, since the files are gone. */
  readonly deleted: readonly string[];
}

/** A world and its database. Both are of the same file. */
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
  /** Pages whose files are gone are deleted, unless somebody has changed them. */
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
   * Allows a folder that contains files. A file with the same name is replaced if it was imported or exported, or if
   * its text was a state of the page at some time. A text that the workspace never had is kept. No file is deleted.
   */
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

export interface ExportReport {
  readonly to: string;
  readonly pages: { readonly written: number; readonly replaced: number; readonly unchanged: number };
  readonly attachments: { readonly copied: number; readonly unchanged: number };
  /**
   * Attachments whose file is gone or has changed, pages that the file system does not accept, and pages whose file
   * there has a text that the workspace never had.
   */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

export interface Vault {
  analyseVault(workspace: Workspace, place: VaultPlace): Promise<VaultAnalysis>;
  /**
   * Imports a vault. Throws `not_found` and `bad_argument` for the folder, and `store_locked` if another import does
   * not end within a minute.
   */
  importVault(workspace: Workspace, options: ImportOptions): Promise<VaultImport>;
  importRuns(workspace: Workspace): readonly ImportRun[];
  /**
   * Undoes an import. Throws `not_found` for the run, and `store_locked` as above. Undoing it twice changes nothing.
   */
  undoImport(
    workspace: Workspace,
    options: { readonly run: string; readonly device: string; readonly clock: () => number },
  ): Promise<UndoReport>;
  /** Exports the pages. Throws `bad_argument` for a folder that has files, unless `replace` is given. */
  exportVault(workspace: Workspace, options: ExportOptions): Promise<ExportReport>;
}
