/**
 * The writes to a world. A `WorldWrite` is made by `worldWrite` and by nothing else: an object that looks like one is
 * refused by `submit`, and its type cannot be written by hand.
 */
import type { Caller } from '../core/index.ts';
import type { ContentId, Lifecycle, Origin } from './world.ts';

/** The operations. Texts are Markdown. */
export type WorldOperation =
  | {
      readonly op: 'create_page';
      readonly path: string;
      readonly text: string;
      readonly properties?: Readonly<Record<string, unknown>>;
      readonly tags?: readonly string[];
    }
  | { readonly op: 'update_block'; readonly block: ContentId; readonly text: string }
  | {
      readonly op: 'add_block';
      readonly page: ContentId;
      /** Null: at the beginning. Absent: at the end. */
      readonly after?: ContentId | null;
      readonly text: string;
    }
  | { readonly op: 'delete_block'; readonly block: ContentId }
  /** The whole text at once, as an editor saves it: blocks that are alike keep their ids. */
  | { readonly op: 'update_page'; readonly page: ContentId; readonly text: string }
  /**
   * `to` is the whole new path of the page itself. What is below it moves along, unless it moves `alone`, as a file
   * does.
   */
  | { readonly op: 'move_page'; readonly page: ContentId; readonly to: string; readonly alone?: boolean }
  /** `name` is the new last part of the page's path. Pages below it move along. */
  | { readonly op: 'rename_page'; readonly page: ContentId; readonly name: string }
  /**
   * It alone: what is below it stays where it is. Its text and history are kept. `revision`: that which was looked at;
   * refused as stale where another one stands.
   */
  | { readonly op: 'delete_page'; readonly page: ContentId; readonly revision?: number }
  /** A value of null removes the property. */
  | {
      readonly op: 'set_properties';
      readonly page: ContentId;
      readonly set: Readonly<Record<string, unknown>>;
    }
  /**
   * Adds a tag. The tag of a page goes into the front matter, and the tag of a block goes after its text: either way it
   * is in the Markdown.
   */
  | { readonly op: 'add_tag'; readonly content: ContentId; readonly tag: string }
  | { readonly op: 'remove_tag'; readonly content: ContentId; readonly tag: string }
  | {
      readonly op: 'add_derivation_link';
      readonly derived: ContentId;
      readonly source: ContentId;
      readonly link_type: string;
    }
  /**
   * A file of the vault that is not a page. It is kept by reference, and known by its path. If `page` is null, it
   * belongs to the vault itself.
   */
  | {
      readonly op: 'add_attachment';
      readonly page: ContentId | null;
      readonly path: string;
      readonly bytes: number;
      readonly hash: string;
    }
  | { readonly op: 'remove_attachment'; readonly path: string }
  /**
   * The author's acts. A page is promoted with all of its blocks. What was not shown to the author as it is (see
   * `World.shown`) is refused as stale; `revision` says which of those that were shown is meant, without it the newest.
   */
  | { readonly op: 'promote'; readonly content: ContentId; readonly revision?: number }
  | { readonly op: 'reject'; readonly content: ContentId; readonly revision?: number }
  | {
      readonly op: 'resolve_deviation';
      readonly deviation: string;
      /** accept: the submitted text. keep: the present text. text: neither, but this. An agent only proposes one. */
      readonly decision: 'accept' | 'keep' | { readonly text: string };
      readonly note?: string;
      readonly revision?: number;
    }
  | { readonly op: 'clear_flag'; readonly flag: string }
  /** Undoes a decision of the author. Refused if its content has changed since. */
  | { readonly op: 'undo'; readonly write: string }
  /** Restores a page that was deleted or rejected, with the text that it had. */
  | { readonly op: 'restore_page'; readonly page: ContentId };

export interface WriteRequest {
  readonly operation: WorldOperation;
  readonly caller: Caller;
  /** The tool, the import run with its file, or the command that submits the write. */
  readonly source: string;
  readonly idempotencyKey: string | null;
  /** Content that the written content derives from. Links to it are made in the same transaction. */
  readonly derivedFrom?: readonly ContentId[];
  /** The revision of the target that the submitter had seen. If the target has a newer one, that is a conflict. */
  readonly baseRevision?: number;
  /** Canonical content that this write contradicts, according to its submitter. */
  readonly contradicts?: readonly ContentId[];
  /**
   * Of an update of a page that was changed in two places: the text that both were made of, null if there is none.
   * The write is held, whoever submits it, and a decision merges it over that text.
   */
  readonly divergedFrom?: string | null;
  /**
   * An open deviation that this write replaces, and that is dismissed. It must be of the same source, or of another
   * file of the same run.
   */
  readonly replaces?: string;
  /**
   * The lifecycle that the submitter asks for. It is not granted to everybody: an agent that asks for Canonical is
   * refused.
   */
  readonly lifecycle?: Lifecycle;
  /** For imports: whether the content was recorded as it happened (a signal, a log), so that its origin is Observed. */
  readonly observed?: boolean;
}

declare const made: unique symbol;

/** Frozen. Origin and lifecycle follow from the caller, never from an argument of a tool. */
export interface WorldWrite {
  readonly [made]: true;
  readonly operation: WorldOperation;
  readonly caller: Caller;
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
  readonly origin_source_id: string;
  readonly derivation_sources: readonly ContentId[];
  readonly contradicts: readonly ContentId[];
  readonly base_revision: number | null;
  /** Undefined if the content was changed in one place only. */
  readonly diverged_from: string | null | undefined;
  readonly replaces: string | null;
  readonly idempotency_key: string | null;
}

export type SubmitResult = AcceptedWrite | RefusedWrite;

export interface AcceptedWrite {
  readonly kind: 'accepted';
  readonly write_id: string;
  /** False if it is held as a deviation and waits for the author. */
  readonly applied: boolean;
  /** The ids of changed content. The first is the target, or the content that was created. */
  readonly content_ids: readonly ContentId[];
  readonly deviation_ids: readonly string[];
  readonly flag_ids: readonly string[];
  /** True if the idempotency key had been seen: this is the first result, and nothing was done again. */
  readonly repeated: boolean;
}

/** Why a write was refused; nothing of it is left. */
export const refusals = {
  not_a_write: 'The object was not made by worldWrite.',
  forbidden: 'The caller may not do this, whatever its arguments.',
  lifecycle: 'The lifecycle asked for is not the caller’s to give, or the step to it does not exist.',
  unknown_content: 'There is no content of that id in this workspace.',
  deleted_content: 'The content was deleted.',
  unknown_source: 'A derivation source is no content of this workspace.',
  derivation_cycle: 'The derivation would lead back to where it starts.',
  bad_path: 'The path cannot be the path of a page.',
  path_taken: 'Another page has that path.',
  bad_value: 'A text, property, tag or name is not allowed.',
  too_large: 'The text is longer than a page may be.',
  key_reused: 'The idempotency key was used for another write.',
  stale: 'What is decided on is not what was shown to the author.',
  conflict: 'The held write cannot be merged with later changes.',
  not_open: 'The deviation, candidate or flag is no longer open.',
} as const;
export type RefusalCode = keyof typeof refusals;

export interface RefusedWrite {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** One line, naming the thing. */
  readonly message: string;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;
}
