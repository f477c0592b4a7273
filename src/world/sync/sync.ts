/**
 * The contract of a sync: a folder of Markdown files and the pages of a workspace, kept equal in both directions. One
 * pass compares both, copies what changed on one side to the other, and merges what changed on both. Changes that
 * cannot be merged go to the inbox, for the person to decide, with both sides and their common base.
 *
 * An implementer must not: write over bytes that it has not seen, leave a file half written, lose a line that
 * somebody wrote (also when it is killed at any instant), choose between two changes of one place, touch names that
 * begin with a dot (but for its own mark, the parts of a file that it is writing, and `.trash`), follow a link of the
 * file system, or write a candidate into the folder.
 */
import type { Caller } from '../../core/index.ts';
import type { VaultPlace, VaultProblem, Workspace } from '../vault/vault.ts';

export interface SyncRename {
  readonly from: string;
  readonly to: string;
  /** The side on which it was renamed. */
  readonly by: 'folder' | 'workspace';
}

export interface SyncDeletion {
  readonly file: string;
  /** The side on which it was deleted. If the page was deleted, the file is moved to `.trash`. */
  readonly by: 'folder' | 'workspace';
}

export interface SyncConflict {
  readonly file: string;
  readonly page: string;
  /** The item of the inbox. */
  readonly id: string;
}

/** The result of a pass, or of a dry run. Files are relative to the folder, with `/`. */
export interface SyncReport {
  readonly root: string;
  readonly into: string;
  readonly dryRun: boolean;
  /** Files that were new or changed in the folder. Their text is now in the page. */
  readonly pulled: readonly string[];
  /** Files of pages that were new or changed in the workspace. Their text was written to the file. */
  readonly pushed: readonly string[];
  /** Files of notes that were changed on both sides. Both sides now have the changes of both. */
  readonly merged: readonly string[];
  readonly renamed: readonly SyncRename[];
  readonly deleted: readonly SyncDeletion[];
  /** All conflicts that wait for a decision, also those of earlier passes. */
  readonly conflicts: readonly SyncConflict[];
  /** Files that somebody is writing. They are left to the next pass. */
  readonly waiting: readonly string[];
  readonly unchanged: number;
  readonly attachments: { readonly new: number; readonly changed: number; readonly removed: number };
  /** Files that could not be read or written, or were left alone. */
  readonly problems: readonly VaultProblem[];
}

export interface SyncOptions extends VaultPlace {
  /** The person whose notes these are: what was edited in the folder is that person's edit. */
  readonly author: Caller;
  readonly dryRun?: boolean;
  /** Deletes the pages of missing notes even if most or all notes are missing. */
  readonly deleteMissing?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** How long a file must have been quiet before it is read, in milliseconds; 300 without it. */
  readonly quietMs?: number;
  /** Called with the folders that there are. */
  readonly onFolders?: (folders: readonly string[]) => void;
  /** Called before each change of the folder or its records; tests end the process there. */
  readonly onEffect?: (what: string) => void;
}

export interface WatchOptions extends Omit<SyncOptions, 'dryRun' | 'signal' | 'onFolders'> {
  readonly signal: AbortSignal;
  /** Called after the first pass, and after each pass that did something. */
  readonly onPass: (report: SyncReport) => void;
  /** Called with the error of a failed pass. The next change starts another pass. */
  readonly onFailure: (error: unknown) => void;
}

export interface Sync {
  /**
   * Performs one pass. Throws `not_found` and `bad_argument` for the folder; `run_state` if the folder is synchronised
   * with another workspace, or if most of its notes are gone; `store_locked` if an import does not end within a minute.
   */
  syncVault(workspace: Workspace, options: SyncOptions): Promise<SyncReport>;
  /**
   * Performs passes until the signal aborts: one at once, and one after each change on either side. `deleteMissing`
   * applies to the first pass only.
   */
  watchVault(workspace: Workspace, options: WatchOptions): Promise<void>;
}
