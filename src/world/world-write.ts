/**
 * The writes to a world. Only `worldWrite` makes a `WorldWrite`: `submit` refuses any other object, and the type can't
 * be constructed by hand.
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
  /** Replaces the whole text, as an editor saves it. Similar blocks keep their ids. */
  | { readonly op: 'update_page'; readonly page: ContentId; readonly text: string }
  /** `to`: the whole new path. The pages below move along, unless `alone` is true. */
  | { readonly op: 'move_page'; readonly page: ContentId; readonly to: string; readonly alone?: boolean }
  /** `name`: the new last part of the path. The pages below move along. */
  | { readonly op: 'rename_page'; readonly page: ContentId; readonly name: string }
  /**
   * Deletes the page, without the pages below it. Its text and history are kept. `revision`: the revision that the
   * caller has seen; refused as stale if it is not the present one.
   */
  | { readonly op: 'delete_page'; readonly page: ContentId; readonly revision?: number }
  /** Null removes a property. */
  | {
      readonly op: 'set_properties';
      readonly page: ContentId;
      readonly set: Readonly<Record<string, unknown>>;
    }
  /** Adds a tag: of a page to the front matter, of a block to the end of its text. */
  | { readonly op: 'add_tag'; readonly content: ContentId; readonly tag: string }
  | { readonly op: 'remove_tag'; readonly content: ContentId; readonly tag: string }
  | {
      readonly op: 'add_derivation_link';
      readonly derived: ContentId;
      readonly source: ContentId;
      readonly link_type: string;
    }
  /** Records a file of the vault that is not a page, by its path. `page`: the page that shows it; null: none. */
  | {
      readonly op: 'add_attachment';
      readonly page: ContentId | null;
      readonly path: string;
      readonly bytes: number;
      readonly hash: string;
    }
  | { readonly op: 'remove_attachment'; readonly path: string }
  /**
   * The author's acts. A page is promoted with all of its blocks. Content whose present state was not shown to the
   * author (see `World.shown`) is refused as stale. `revision`: the shown revision that is meant; default: the newest.
   */
  | { readonly op: 'promote'; readonly content: ContentId; readonly revision?: number }
  | { readonly op: 'reject'; readonly content: ContentId; readonly revision?: number }
  | {
      readonly op: 'resolve_deviation';
      readonly deviation: string;
      /**
       * accept: the submitted text. keep: the present text. text: a new one. The decision of an agent is only a
       * proposal.
       */
      readonly decision: 'accept' | 'keep' | { readonly text: string };
      readonly note?: string;
      readonly revision?: number;
    }
  | { readonly op: 'clear_flag'; readonly flag: string }
  /** Undoes a decision of the author. Refused if its pages have changed since. */
  | { readonly op: 'undo'; readonly write: string }
  /** Restores a deleted or rejected page, with its text. */
  | { readonly op: 'restore_page'; readonly page: ContentId };

export interface WriteRequest {
  readonly operation: WorldOperation;
  readonly caller: Caller;
  /** What submits the write: a tool, an import run with its file, or a command. */
  readonly source: string;
  readonly idempotencyKey: string | null;
  /** The sources of the written content. Derivation links are added in the same transaction. */
  readonly derivedFrom?: readonly ContentId[];
  /** The revision of the target that the submitter had seen. A newer one is a conflict. */
  readonly baseRevision?: number;
  /** Canonical content that this write contradicts, according to its submitter. */
  readonly contradicts?: readonly ContentId[];
  /**
   * For an update of a page that was changed in two places: their common ancestor, or null if there is none. The write
   * is held, whoever submits it, and a decision merges it with this base.
   */
  readonly divergedFrom?: string | null;
  /**
   * An open deviation that this write replaces: it is dismissed. It must have the same source, or another file of the
   * same run.
   */
  readonly replaces?: string;
  /** The requested lifecycle. The kind of the caller limits it: a request of an agent for Canonical is refused. */
  readonly lifecycle?: Lifecycle;
  /** For imports: true if the content records events (a signal, a log), so that its origin is Observed. */
  readonly observed?: boolean;
}

declare const made: unique symbol;

/** Frozen. Origin and lifecycle depend on the caller, never on an argument of a tool. */
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
  /** See `WriteRequest.divergedFrom`. */
  readonly diverged_from: string | null | undefined;
  readonly replaces: string | null;
  readonly idempotency_key: string | null;
}

export type SubmitResult = AcceptedWrite | RefusedWrite;

export interface AcceptedWrite {
  readonly kind: 'accepted';
  readonly write_id: string;
  /** False: the write is held as a deviation, and waits for the author. */
  readonly applied: boolean;
  /** The ids of changed content. The first is the target or the created content. */
  readonly content_ids: readonly ContentId[];
  readonly deviation_ids: readonly string[];
  readonly flag_ids: readonly string[];
  /** True: the idempotency key is known. This is the first result, and nothing was done again. */
  readonly repeated: boolean;
}

/** Reasons for which a write is refused, as a whole. */
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
