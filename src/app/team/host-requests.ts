/** Requests of a front to the host of a workspace that are answered directly, without the queue. */
import { z } from 'zod';
import { isSondeError, messageOf } from '../../core/index.ts';
import type { AgentReply } from '../agent/channel/channel.ts';
import type { RequestQueue } from '../agent/requests/request-queue.ts';

export const hostRequest = z.discriminatedUnion('act', [
  z.strictObject({ act: z.literal('cancel'), thread: z.string() }),
  z.strictObject({ act: z.literal('drop'), thread: z.string(), id: z.string().optional() }),
  z.strictObject({
    act: z.literal('steer'),
    id: z.string(),
    thread: z.string(),
    text: z.string(),
    of: z.string().optional(),
  }),
  z.strictObject({ act: z.literal('withdraw'), id: z.string() }),
  z.strictObject({ act: z.literal('ping') }),
]);
export type TeamRequest = z.output<typeof hostRequest>;

export type RequestReply =
  | { readonly kind: 'reply'; readonly reply: AgentReply }
  | { readonly kind: 'withdrawn'; readonly wasCancelled: boolean }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Answers one question. Each can be asked again without harm. */
export async function answerRequest(question: unknown, requests: RequestQueue): Promise<RequestReply> {
  try {
    const request = hostRequest.parse(question);
    switch (request.act) {
      case 'cancel':
        return { kind: 'reply', reply: await requests.cancel(request.thread) };
      case 'drop':
        return { kind: 'reply', reply: await requests.drop(request.thread, request.id) };
      case 'ping':
        return { kind: 'reply', reply: await requests.ping() };
      case 'steer': {
        const { id, thread, text, of } = request;
        await requests.steer({ id, thread, text, ...(of !== undefined && { of }) });
        return { kind: 'withdrawn', wasCancelled: false };
      }
      case 'withdraw':
        return { kind: 'withdrawn', wasCancelled: await requests.withdraw(request.id) };
    }
  } catch (thrown) {
    const code = isSondeError(thrown) ? thrown.code : 'internal';
    return { kind: 'refused', code, message: messageOf(thrown) };
  }
}
