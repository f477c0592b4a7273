/**
 * The contract of a sync, which keeps a folder of Markdown files and the pages of a workspace equal, in both
 * directions. A pass compares both, copies changes of one side to the other, and merges changes of both. Conflicts go
 * to the inbox, with both sides and their common base.
 *
 * An implementer must not: overwrite bytes that it has not read, leave a file half written, lose a line that a person
 * wrote (even if it is killed at any time), choose between two changes of one place, touch hidden names (except its
 * mark, temporary parts, and `.trash`), follow a symbolic link, or write a candidate into the folder.
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
  /** The side on which it was deleted. The file of a deleted page is moved to `.trash`. */
  readonly by: 'folder' | 'workspace';
}

export interface SyncConflict {
  readonly file: string;
  readonly page: string;
  /** The id of the inbox item. */
  readonly id: string;
}

/** The result of a pass, or of a dry run. Files are relative to the folder, with `/`. */
export interface SyncReport {
  readonly root: string;
  readonly into: string;
  readonly dryRun: boolean;
  /** Files whose text was copied to their page. */
  readonly pulled: readonly string[];
  /** Files to which the text of their page was written. */
  readonly pushed: readonly string[];
  /** Files of notes that had changed on both sides and were merged. */
  readonly merged: readonly string[];
  readonly renamed: readonly SyncRename[];
  readonly deleted: readonly SyncDeletion[];
  /** All open conflicts, also those of earlier passes. */
  readonly conflicts: readonly SyncConflict[];
  /** Files that are being written. The next pass handles them. */
  readonly waiting: readonly string[];
  readonly unchanged: number;
  readonly attachments: { readonly new: number; readonly changed: number; readonly removed: number };
  /** Files that could not be read or written, or were ignored. */
  readonly problems: readonly VaultProblem[];
}

export interface SyncOptions extends VaultPlace {
  /** The owner of the notes, who counts as the author of edits in the folder. */
  readonly author: Caller;
  readonly dryRun?: boolean;
  /** Also deletes pages if most or all notes are missing. */
  readonly deleteMissing?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Milliseconds for which a file must be unchanged before it is read; default 300. */
  readonly quietMs?: number;
  /** Called with the folders of the vault. */
  readonly onFolders?: (folders: readonly string[]) => void;
  /** Called before each change of the folder or its records. Tests kill the process there. */
  readonly onEffect?: (what: string) => void;
}

export interface WatchOptions extends Omit<SyncOptions, 'dryRun' | 'signal' | 'onFolders'> {
  readonly signal: AbortSignal;
  /** Called after the first pass, and after each pass that changed something. */
  readonly onPass: (report: SyncReport) => void;
  /** Called with the error of a failed pass. Later passes go on. */
  readonly onFailure: (error: unknown) => void;
}

export interface Sync {
  /**
   * Runs one pass. Throws `not_found` and `bad_argument` for the folder; `run_state` if it is synchronised with another
   * workspace, or if most of its notes are gone; `store_locked` if an import takes more than a minute.
   */
  syncVault(workspace: Workspace, options: SyncOptions): Promise<SyncReport>;
  /**
   * Runs passes until the signal aborts: one at once, and one after each change on either side. `deleteMissing` applies
   * to the first pass only.
   */
  watchVault(workspace: Workspace, options: WatchOptions): Promise<void>;
}
