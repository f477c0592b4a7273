/**
 * `send_message`: another program talks with the agent of a workspace. If the agent asks a question, the tool returns an
 * input-required result. The client answers by sending back its state, even in another process after both sides were
 * killed, since the question is stored in the checkpoint of the thread.
 */
import {
  type CallToolResult,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { sha256, toPlainText } from '../../core/index.ts';
import { type AgentQuestion, type AgentReply, threadId, threadNote } from '../agent/channel/channel.ts';
import type { AgentClient, TurnRequest } from '../agent/channel/channel-client.ts';
import { questionText } from '../chat/screen.ts';

export const messageInput = z.object({
  thread: threadId.describe('The conversation: a name of your choice; the same name continues it'),
  message: z.string().trim().min(1).max(100_000).describe('What you say to the agent'),
  message_id: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .optional()
    .describe('A message sent again with the same id is not processed twice'),
});
export type MessageInput = z.output<typeof messageInput>;

/** The state that a client sends back with its answer. It is sealed, since it comes from outside. */
interface PendingQuestion {
  readonly thread: string;
  readonly question: string;
}

export interface ConversationTool {
  readonly verify: RequestStateCodec<PendingQuestion>['verify'];
  call(input: MessageInput, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
}

export interface ConversationToolOptions {
  readonly client: AgentClient;
  /** Seals the state. Another process of this user with the same key can continue. */
  readonly key: Uint8Array;
  readonly redact: (text: string) => string;
}

/** How long a question can be answered: ten years. Seconds. */
const answerableSeconds = 10 * 365 * 24 * 3600;

const answerResponse = z.object({ action: z.string(), content: z.object({ answer: z.string() }).optional() });

export function conversationTool({ client, key, redact }: ConversationToolOptions): ConversationTool {
  const codec = createRequestStateCodec<PendingQuestion>({ key, ttlSeconds: answerableSeconds });
  const textResult = (text: string, isError = false): CallToolResult => ({
    ...(isError && { isError }),
    content: [{ type: 'text', text: redact(toPlainText(text)) }],
  });

  async function requireInput(thread: string, { id, value }: AgentQuestion): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: {
        answer: inputRequired.elicit({
          message: redact(questionText(value)),
          requestedSchema: {
            type: 'object',
            properties: { answer: { type: 'string', title: 'Your answer' } },
            required: ['answer'],
          },
        }),
      },
      requestState: await codec.mint({ thread, question: id }),
    });
  }

  /** Runs a turn until it ends or asks a question. */
  async function runTurn(request: TurnRequest, signal: AbortSignal) {
    const { thread_id } = request;
    const cancel = (): void => void client.request({ type: 'cancel', thread_id }).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const turnEnd = await client.turn(request);
      if ('type' in turnEnd) return await replyToRefusal(thread_id, turnEnd);
      const { status, text, questions } = turnEnd;
      if (status === 'interrupted' && questions[0] !== undefined)
        return await requireInput(thread_id, questions[0]);
      return textResult(status === 'answered' ? text : `${status}: ${text}`, status !== 'answered');
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** The reply to a refused message: the open question, if there is one, else an error. */
  async function replyToRefusal(thread: string, { error_code, message }: AgentReply) {
    const { questions } = await observeThread(thread);
    if (questions[0] !== undefined) return requireInput(thread, questions[0]);
    return textResult(`${error_code}: ${message}`, true);
  }

  const observeThread = async (thread: string) =>
    threadNote.parse((await client.request({ type: 'observe', thread_id: thread })).details);

  return {
    verify: codec.verify,
    async call({ thread, message, message_id }, { mcpReq }) {
      const pendingQuestion = mcpReq.requestState<PendingQuestion>();
      if (pendingQuestion !== undefined) {
        const { questions } = await observeThread(pendingQuestion.thread);
        const openQuestion = questions.find(({ id }) => id === pendingQuestion.question);
        const response = answerResponse.safeParse(mcpReq.inputResponses?.['answer']);
        if (openQuestion !== undefined && response.data?.content === undefined)
          return textResult(
            `The question stays open, and can be answered later: ${questionText(openQuestion.value)}`,
          );
        // A question that was answered meanwhile is not answered again.
        const answer = { question: pendingQuestion.question, value: response.data?.content?.answer ?? '' };
        return runTurn({ type: 'resume', thread_id: pendingQuestion.thread, answer }, mcpReq.signal);
      }
      const { state } = await observeThread(thread);
      const id = message_id ?? `m-${sha256(`${thread}\0${message}\0${Date.now()}`).slice(0, 20)}`;
      if (state === 'unfinished') {
        // First finishes a turn whose process was killed. If that turn asks a question, the message is not sent.
        const earlierTurn = await runTurn({ type: 'resume', thread_id: thread }, mcpReq.signal);
        if ((await observeThread(thread)).state !== 'idle') return earlierTurn;
      }
      const request = { type: 'start_run', thread_id: thread, message_id: id, prompt: message } as const;
      return runTurn(request, mcpReq.signal);
    },
  };
}
