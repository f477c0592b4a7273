/**
 * Language servers as a second source of what names refer to: programs of the user, each for one language. Their
 * answers never prove completeness. An implementer must not take configuration from the tree, run anything that lies
 * in it, or return a place outside of it.
 */
import type { ServerPlace, ServerPlaces } from './answers.ts';
import type { ServerLanguage } from './profiles.ts';

export interface ServerQuestion extends ServerPlace {
  /** The text in which the place was found. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UsesQuestion extends ServerQuestion {
  /** Files that may contain a use, with their texts as read. */
  readonly candidates: ReadonlyMap<string, string>;
  /** Known uses: an answer that misses them is asked for again. */
  readonly known: readonly ServerPlace[];
}

/** `missing`: the source has no answer; `why` is a text without a full stop. */
export type ServerReply<Answer> =
  | ({ readonly kind: 'answered'; readonly server: string } & Answer)
  | { readonly kind: 'missing'; readonly server: string; readonly why: string };

export interface LanguageServers {
  /** Whether a server is configured for the language of this file. */
  serves(path: string): boolean;
  /** Returns an answer once two replies agree. */
  uses(question: UsesQuestion): Promise<ServerReply<ServerPlaces>>;
  /** The type as the server writes it; null: it knows none. */
  hover(question: ServerQuestion): Promise<ServerReply<{ readonly type: string | null }>>;
  /** Starts the server of a language, and checks that it answers. */
  check(
    language: ServerLanguage,
  ): Promise<
    | { readonly kind: 'answered'; readonly server: string; readonly version: string }
    | { readonly kind: 'missing'; readonly server: string; readonly why: string; readonly remedy: string }
  >;
  /** Stops all servers. */
  close(): Promise<void>;
}
