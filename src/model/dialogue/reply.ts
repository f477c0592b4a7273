/** The options of one turn of a dialogue, and the reply to it. */
import type { ModelReply, ModelRequest } from '../model.ts';
import type { Dialogue, Reply } from './dialogue.ts';

export interface DialogueRequest
  extends Pick<
    ModelRequest,
    'maxOutputTokens' | 'timeoutMs' | 'maxMs' | 'signal' | 'onText' | 'idempotencyKey'
  > {
  /** Ends in words or results of ours. */
  readonly dialogue: Dialogue;
  /**
   * The tool that the model has to call now. The dialogue itself told it so; a provider that can enforce it
   * does, as long as the list of tools stays unchanged.
   */
  readonly must?: string;
  /** The same for all requests of one run, other than those of others: leads to the machine that has them cached. */
  readonly cacheKey?: string;
}

/** The same whether it came whole or in pieces. */
export interface DialogueReply
  extends Reply,
    Pick<ModelReply, 'usage' | 'model' | 'overran' | 'usd' | 'cursor'> {
  /** `length`: it was cut. A call that was cut is not among the parts. */
  readonly stop: 'end' | 'calls' | 'length' | 'refusal' | 'other';
}
