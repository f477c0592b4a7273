/**
 * The contract of the agent-event channel, between a host and its agent: messages that start, answer, end and
 * watch turns, and their replies and events. Tool calls go over MCP, never over this channel; any other
 * message gets a reply that says so, and has no other effect. An implementer must not: act on a message
 * before all of it was checked, leave a message without a reply, send an event without the thread and the message
 * that it belongs to, or end because of what somebody sent.
 */
import { z } from 'zod';
import { type Amounts, claimFlags, claimVerdicts, resources } from '../../../core/index.ts';

const id = z.string().min(1).max(200);
/** The id of a thread. It is also used in URLs, so it has no other characters. */
export const threadId = z.string().regex(/^[\p{L}\p{N}_.:-]{1,100}$/u);

/**
 * The address of this thread's tools, and the token that gives access to them. Absent if host and agent are one
 * process.
 */
const tools = z.strictObject({ url: z.url(), token: z.string().min(1).max(200) });

const limits = z.strictObject(
  Object.fromEntries(resources.map((name) => [name, z.number().min(0).optional()])),
) as unknown as z.ZodType<Amounts>;

/** The id of the message that began the turn. Absent: whichever turn runs in the thread. */
const turnOf = id.optional();

const turn = {
  id,
  thread_id: threadId,
  /** Identifies the message: if it is sent twice, only one turn starts. */
  message_id: id,
  prompt: z.string().trim().min(1).max(200_000),
  tools: tools.optional(),
  limits: limits.optional(),
  /** The schedule that starts the turn; absent: a person or a program starts it. */
  started_by: z
    .strictObject({
      schedule: id,
      due: z.number(),
      zone: z.string().max(100).optional(),
      last: z.number().nullable(),
    })
    .optional(),
};

export const agentMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start_run'),
    ...turn,
    role: z.string().max(8000).optional(),
    /** The id of an earlier message that this one replaces, together with everything after it. */
    edits: id.optional(),
  }),
  /** A message to the running turn. If that turn ends before it reads the message, the message starts a new turn. */
  z.strictObject({
    type: z.literal('steer'),
    id,
    thread_id: threadId,
    message_id: id,
    prompt: turn.prompt,
    of: turnOf,
  }),
  /** An event in the workspace that starts a turn, such as that of a schedule. */
  z.strictObject({
    type: z.literal('workspace_event'),
    ...turn,
    event: z.strictObject({ id, name: z.string().max(200), payload: z.json() }),
  }),
  z.strictObject({
    type: z.literal('resume'),
    id,
    thread_id: threadId,
    /** An answer to a question. Absent: the turn continues after a crash, a cancel or a failure of the model. */
    answer: z.strictObject({ question: id, value: z.json() }).optional(),
    tools: tools.optional(),
  }),
  z.strictObject({
    type: z.literal('cancel'),
    id,
    thread_id: threadId,
    /** True: the turn is abandoned, even if no process works on it, and the thread accepts another message. */
    drop: z.boolean().optional(),
    of: turnOf,
  }),
  /** Requests the state of a thread. Events of all threads are sent without a request. */
  z.strictObject({ type: z.literal('observe'), id, thread_id: threadId }),
  z.strictObject({ type: z.literal('lifecycle'), id, command: z.enum(['ping', 'shutdown']) }),
]);
export type AgentMessage = z.output<typeof agentMessage>;

const question = z.strictObject({ id: z.string(), value: z.json() });
export type AgentQuestion = z.output<typeof question>;

const amounts = z.partialRecord(z.enum(resources), z.number());

export const turnStatus = z.enum([
  'answered',
  'interrupted',
  'cancelled',
  'dropped',
  'exhausted',
  'failed',
] as const);
export type TurnStatus = z.output<typeof turnStatus>;

const claim = z.strictObject({
  text: z.string(),
  verdict: z.enum(claimVerdicts),
  why: z.string().optional(),
  evidence: z.array(z.string()).readonly(),
  flags: z.array(z.enum(claimFlags)).readonly(),
});

export const agentEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('turn_started'), run_id: z.string() }),
  z.strictObject({ kind: z.literal('text'), piece: z.string() }),
  z.strictObject({ kind: z.literal('tool_started'), call: z.string(), name: z.string(), about: z.string() }),
  z.strictObject({
    kind: z.literal('tool_finished'),
    call: z.string(),
    name: z.string(),
    ok: z.boolean(),
    /** The result of the call, as one line to display. */
    note: z.string(),
    write_id: z.string().nullable(),
    /** Ids of the content and evidence that the call showed in full. */
    reads: z.array(z.string()).optional(),
  }),
  /** The turn has read a message that was sent to it while it was running. */
  z.strictObject({ kind: z.literal('steered'), message_id: z.string(), text: z.string() }),
  /** Budget of the turn. A resource without a limit is missing from `limits`. */
  z.strictObject({ kind: z.literal('budget'), spent: amounts, limits: amounts }),
  z.strictObject({
    kind: z.literal('turn_ended'),
    run_id: z.string().nullable(),
    status: turnStatus,
    /** The answer, or what went wrong. */
    text: z.string(),
    /** The open questions, if the turn was interrupted by them. */
    questions: z.array(question),
    /**
     * Claims of the answer; if there are too many, only the worst. `claim_counts` then counts all of them by verdict.
     */
    claims: z.array(claim).readonly().optional(),
    claim_counts: z.partialRecord(z.enum(claimVerdicts), z.number()).optional(),
  }),
]);
export type AgentEvent = z.output<typeof agentEvent>;

/** The envelope of every reply. */
const reply = z.strictObject({
  type: z.literal('reply'),
  /** The id of the message; null if the message had none that could be read. */
  id: z.string().nullable(),
  status: z.enum(['ok', 'error']),
  error_code: z.string().nullable(),
  message: z.string(),
  details: z.record(z.string(), z.json()),
});
export type AgentReply = z.output<typeof reply>;

export const agentOutput = z.discriminatedUnion('type', [
  reply,
  z.strictObject({
    type: z.literal('event'),
    thread_id: z.string(),
    /** The `id` of the message that began or dropped the turn, which tells the turns of a thread apart. */
    request: z.string(),
    event: agentEvent,
  }),
  /** The message is stored, but its turn can't start or continue yet. Sent only if several clients share an agent. */
  z.strictObject({
    type: z.literal('waiting'),
    thread_id: z.string(),
    request: z.string(),
    behind: z.enum(['another', 'question', 'agent', 'server']),
    /** The open questions of an earlier turn of the same thread, which this one waits for. */
    questions: z.array(question),
  }),
  /** ready: the agent accepts messages. */
  z.strictObject({ type: z.literal('lifecycle'), state: z.enum(['ready', 'failed']), message: z.string() }),
]);
export type AgentOutput = z.output<typeof agentOutput>;
export type AgentWaiting = Extract<AgentOutput, { type: 'waiting' }>;

/**
 * The planning model and why it was chosen, for display. `reasons` is false if fixed rules decide instead of a model.
 * The reply to `ping` contains it as `about` if it is known.
 */
export const agentAbout = z.strictObject({ model: z.string(), why: z.string(), reasons: z.boolean() });
export type AgentAbout = z.output<typeof agentAbout>;

/** The details of a reply to `observe`. */
export const threadNote = z.strictObject({
  state: z.enum(['unknown', 'idle', 'running', 'unfinished', 'interrupted']),
  questions: z.array(question),
  /** The last message of the conversation, and its author. */
  last: z.strictObject({ by: z.enum(['person', 'agent']), text: z.string() }).nullable(),
});
export type ThreadNote = z.output<typeof threadNote>;

/** One end of the channel. Received values are parsed JSON, which the receiver must check. */
export interface Wire {
  send(value: unknown): void;
  onMessage(listener: (value: unknown) => void): void;
}
