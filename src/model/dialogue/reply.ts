/** The options of one turn of a dialogue, and the reply to it. */
import type { ModelReply, ModelRequest } from '../model.ts';
import type { Dialogue, Reply } from './dialogue.ts';

export interface DialogueRequest
  extends Pick<
    ModelRequest,
    'maxOutputTokens' | 'timeoutMs' | 'maxMs' | 'signal' | 'onText' | 'idempotencyKey'
  > {
  /** Ends with a message of the user or with results. */
  readonly dialogue: Dialogue;
  /**
   * The tool that the model must call now. The dialogue asks for it in words. A provider enforces it if it can do so
   * without changing the list of tools.
   */
  readonly must?: string;
  /**
   * The same for all requests of one run, and different for other runs: routes the requests to the machine that has
   * them cached.
   */
  readonly cacheKey?: string;
}

/** The same for streamed and whole replies. */
export interface DialogueReply
  extends Reply,
    Pick<ModelReply, 'usage' | 'model' | 'overran' | 'usd' | 'cursor'> {
  /** `length`: it was cut. A call that was cut is not among the parts. */
  readonly stop: 'end' | 'calls' | 'length' | 'refusal' | 'other';
}
