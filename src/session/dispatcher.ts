/**
 * The contract of `task()`, by which a planner delegates work. The implementer shares its own models, tools and budget
 * with the work.
 */
import type { RunnableConfig } from '@langchain/core/runnables';

export interface DispatchPlace {
  readonly thread: string;
  readonly namespace: string;
  /** Unique, and the same if the step is repeated. */
  readonly call: string;
}

export interface Dispatch extends DispatchPlace {
  readonly role: string | null;
  readonly config: RunnableConfig;
  readonly signal?: AbortSignal;
}

export type DispatchResult =
  | {
      readonly kind: 'done';
      readonly output: unknown;
      /** Writes that the work made. */
      readonly write_ids: readonly string[];
    }
  | { readonly kind: 'failed'; readonly error: { readonly code: string; readonly message: string } };

export interface Dispatcher {
  readonly shapes: readonly {
    readonly key: string;
    readonly description: string;
    readonly params: unknown;
  }[];
  /** The checkpoint namespace of a call. */
  subThreadOf(place: DispatchPlace, shape: string): string;
  task(shape: string, params: unknown, dispatch: Dispatch): Promise<DispatchResult>;
}
