/**
 * Language servers as a second source of what names refer to: programs of the user, each for one language. Their
 * answers never prove that there is nothing more. An implementer must not take configuration from the tree, run
 * anything that lies in it, or give a place outside of it.
 */
import type { ServerPlace, ServerPlaces } from './answers.ts';
import type { ServerLanguage } from './profiles.ts';

export interface ServerQuestion extends ServerPlace {
  /** The text in which the place was found. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UsesQuestion extends ServerQuestion {
  /** Files in which a use may stand, as they were read. */
  readonly candidates: ReadonlyMap<string, string>;
  /** Places that are known to be uses: an answer without them is asked for again. */
  readonly known: readonly ServerPlace[];
}

/** `missing`: the source has nothing to say; `why` without a full stop. */
export type ServerReply<Answer> =
  | ({ readonly kind: 'answered'; readonly server: string } & Answer)
  | { readonly kind: 'missing'; readonly server: string; readonly why: string };

export interface LanguageServers {
  /** One was asked for, for the language of this file. */
  serves(path: string): boolean;
  /** Two answers that agree. */
  uses(question: UsesQuestion): Promise<ServerReply<ServerPlaces>>;
  /** The type as the server writes it; null: it knows none. */
  hover(question: ServerQuestion): Promise<ServerReply<{ readonly type: string | null }>>;
  /** Starts that of a language, to see whether it answers. */
  check(
    language: ServerLanguage,
  ): Promise<
    | { readonly kind: 'answered'; readonly server: string; readonly version: string }
    | { readonly kind: 'missing'; readonly server: string; readonly why: string; readonly remedy: string }
  >;
  /** Ends all of them. */
  close(): Promise<void>;
}
