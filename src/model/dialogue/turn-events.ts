/** What the log of a run is told of a turn. */
import type { Amounts } from '../../core/index.ts';
import { overspent } from '../log-call.ts';
import type { Spent } from '../meter.ts';
import type { ModelFailure } from '../model.ts';
import type { DialogueReply } from './reply.ts';
import { partsAsText } from './tags.ts';

interface Told {
  readonly number: number;
  readonly call: string;
  readonly reserved: Amounts;
  readonly spent: Spent;
  readonly wallMs: number;
}

export function repliedEvent(reply: DialogueReply, { number, call, reserved, spent, wallMs }: Told) {
  return {
    kind: 'model_replied' as const,
    step: number,
    call,
    spent: spent.amounts,
    unknown: spent.unknown.length > 0,
    wall_ms: wallMs,
    text: partsAsText(reply.parts),
    ...overspent(reserved, spent.amounts),
    ...(reply.overran && { stopped: true as const }),
  };
}

export function failedEvent({ code, message, remedy }: ModelFailure, number: number, call: string) {
  return { kind: 'model_failed' as const, step: number, call, code, message, remedy };
}
