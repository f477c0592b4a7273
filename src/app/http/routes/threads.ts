/** Conversations over HTTP: every role may read them, and only the author may send messages. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import type { Message } from '../../../session/index.ts';
import type { ThreadRow } from '../../../store/index.ts';
import { threadId } from '../../agent/channel/channel.ts';
import type { SentMessage } from '../../agent/thread-actions.ts';
import { authorOnly, roles } from '../askers.ts';
import { eventsGoneError, lastEventId } from '../feed/last-event.ts';
import { listPage, listQuery, pageSchema, readCursor } from '../lists.ts';
import type { ApiPorts } from '../ports.ts';
import { type RouteRequest, route } from '../route.ts';
import { threadEvent } from '../schemas/event-schemas.ts';
import {
  checkpoint,
  message,
  sent,
  thread,
  threadContext,
  threadSummary,
} from '../schemas/thread-schemas.ts';
import { streamThread } from '../threads/thread-stream.ts';

const threadParams = z.object({ thread: threadId });
const offsetCursor = z.tuple([z.number().int().min(0)]);
const title = z.string().trim().max(200);
const messageBody = z.strictObject({
  text: z.string().trim().min(1).max(200_000),
  message_id: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .optional()
    .describe('the same again is the same message'),
});

/** Maximum items of each tier of memory that are shown for a conversation. */
const maxRemembered = 50;

/** A readable id that differs for each conversation of a day. */
const createThreadId = (now: number): string =>
  `talk-${new Date(now).toISOString().slice(0, 10)}-${randomUUID().slice(0, 8)}`;

async function readSummaries(rows: readonly ThreadRow[], { threads }: ApiPorts) {
  const costs = await threads.sumSpending(rows.map(({ id }) => id));
  return Promise.all(
    rows.map(async (row): Promise<z.input<typeof threadSummary>> => {
      const { state, questions } = await threads.describe(row.id);
      const { runs = 0, spent = {}, last = null } = costs.get(row.id) ?? {};
      return { ...row, state, questions: questions.length, runs, last_run: last, spent };
    }),
  );
}

async function readThread(id: string, ports: ApiPorts): Promise<z.input<typeof thread>> {
  const [summary] = await readSummaries([await ports.threads.threads.get(id)], ports);
  const { questions, last } = await ports.threads.describe(id);
  return { ...summary!, questions: questions.map((one) => ({ ...one })), last };
}

const toApiMessage = (message: Message): ApiMessage => {
  const { id, kind } = message;
  const emptyFields = {
    text: '',
    calls: [],
    call: null,
    name: null,
    ok: null,
    writes: [],
    reads: [],
    run: null,
  };
  switch (message.kind) {
    case 'user':
    case 'steer':
      return { ...emptyFields, id, kind, text: message.text };
    case 'assistant': {
      const calls = message.calls.map(({ id: call, name, args }) => ({ id: call, name, args: { ...args } }));
      return { ...emptyFields, id, kind, text: message.text, calls };
    }
    case 'tool': {
      const { text, call, name, ok, write_ids, reads = [] } = message;
      return { ...emptyFields, id, kind, text, call, name, ok, writes: [...write_ids], reads: [...reads] };
    }
    case 'compact':
      return { ...emptyFields, id, kind, text: message.form.summary };
  }
};

type ApiMessage = z.input<typeof message>;

/** Adds to each message the run of its turn: the run that the turn's first message began. */
function withRuns(messages: readonly Message[], turns: ReadonlyMap<string, string>): readonly ApiMessage[] {
  let run: string | null = null;
  return messages.map((message) => {
    if (message.kind === 'user') run = turns.get(message.id) ?? null;
    return { ...toApiMessage(message), run };
  });
}

type ThreadRequest = Pick<RouteRequest<{ thread: string }>, 'params'>;

/** Throws `not_found`. */
async function requireThread({ params }: ThreadRequest, { threads: { threads } }: ApiPorts): Promise<string> {
  return (await threads.get(params.thread)).id;
}

const toSent = ({ message_id, state, outcome }: SentMessage): z.input<typeof sent> => ({
  message_id,
  state,
  outcome: outcome && { status: outcome.status, text: outcome.text },
});

/** The common fields of routes by which the author acts in one conversation. */
const threadRoute = {
  method: 'post',
  allowedRoles: authorOnly,
  effect: 'write',
  params: threadParams,
} as const;
const messageRoute = { ...threadRoute, answer: sent, status: 202, errors: ['tool_failed'] } as const;

export const threadRoutes = [
  route({
    id: 'listThreads',
    method: 'get',
    path: '/threads',
    summary: 'Conversations, the last changed first, with how each stands and what it has cost',
    allowedRoles: roles,
    effect: 'read',
    query: listQuery,
    answer: pageSchema(threadSummary),
    async handle({ query: { limit, cursor } }, ports) {
      const [start] = readCursor(cursor, offsetCursor) ?? [0];
      const threadRows = (await ports.threads.threads.list({ limit: start + limit + 1 })).slice(start);
      const { items, next } = listPage(threadRows, limit, () => [start + limit]);
      return { items: await readSummaries(items, ports), next };
    },
  }),
  route({
    id: 'createThread',
    method: 'post',
    path: '/threads',
    summary: 'Begin a conversation',
    allowedRoles: authorOnly,
    effect: 'write',
    body: z
      .strictObject({
        id: threadId.optional().describe('absent: one of its own'),
        title: title.optional(),
        channel: z.string().min(1).max(200).optional(),
      })
      .meta({ id: 'NewThread' }),
    answer: thread,
    status: 201,
    errors: ['not_found', 'run_state'],
    async handle({ body }, ports) {
      const { id = createThreadId(ports.clock.now()), title: givenTitle = '', channel = null } = body;
      await ports.threads.threads.create({ id, title: givenTitle, channel });
      return readThread(id, ports);
    },
  }),
  route({
    id: 'getThread',
    method: 'get',
    path: '/threads/{thread}',
    summary: 'How a conversation stands: its questions, the last word, what it has cost',
    allowedRoles: roles,
    effect: 'read',
    params: threadParams,
    answer: thread,
    handle: async (request, ports) => readThread(await requireThread(request, ports), ports),
  }),
  route({
    id: 'getThreadContext',
    method: 'get',
    path: '/threads/{thread}/context',
    summary: 'The role that its next turn has, and the memory that it can look up; of its owner alone',
    allowedRoles: authorOnly,
    effect: 'read',
    params: threadParams,
    answer: threadContext,
    async handle({ params }, ports) {
      const row = await ports.threads.threads.get(params.thread);
      const view = (await ports.memory()).viewFrom({ thread: row.id, channel: row.channel });
      return {
        roles: [...(await ports.readRoles(row))],
        memory: view.tiers.map((tier) => {
          const foundMemories = view.list(tier, maxRemembered + 1);
          return {
            tier,
            items: foundMemories
              .slice(0, maxRemembered)
              .map(({ id, key, text, writer }) => ({ id, key, text, writer })),
            more: foundMemories.length > maxRemembered,
          };
        }),
      };
    },
  }),
  route({
    id: 'renameThread',
    method: 'patch',
    path: '/threads/{thread}',
    summary: 'Give a conversation another title',
    allowedRoles: authorOnly,
    effect: 'write',
    params: threadParams,
    body: z.strictObject({ title }).meta({ id: 'ThreadTitle' }),
    answer: thread,
    async handle(request, ports) {
      const { id } = await ports.threads.rename(await requireThread(request, ports), request.body.title);
      return readThread(id, ports);
    },
  }),
  route({
    id: 'listMessages',
    method: 'get',
    path: '/threads/{thread}/messages',
    summary: 'What was said and done in a conversation, from its beginning',
    allowedRoles: roles,
    effect: 'read',
    params: threadParams,
    query: listQuery,
    answer: pageSchema(message),
    async handle(request, ports) {
      const { limit, cursor } = request.query;
      const thread = await requireThread(request, ports);
      const allMessages = withRuns(
        await ports.threads.messages(thread),
        await ports.threads.listTurns(thread),
      );
      const [after] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const startIndex = after === undefined ? 0 : allMessages.findIndex(({ id }) => id === after) + 1;
      const { items, next } = listPage(allMessages.slice(startIndex), limit, ({ id }) => [id]);
      return { items, next };
    },
  }),
  route({
    ...messageRoute,
    id: 'sendMessage',
    path: '/threads/{thread}/messages',
    summary: 'Say something; the agent’s turn begins, and GET events tells of it',
    body: messageBody.meta({ id: 'Words' }),
    handle: async (request, ports) =>
      toSent(
        await ports.threads.actions.send(
          await requireThread(request, ports),
          request.body,
          request.asker.name,
        ),
      ),
  }),
  route({
    ...messageRoute,
    id: 'answerThread',
    path: '/threads/{thread}/answers',
    summary: 'Answer what the agent asked; its turn goes on',
    effect: 'author',
    body: z.strictObject({ question: z.string().min(1).max(200), value: z.json() }).meta({ id: 'Answer' }),
    handle: async (request, ports) =>
      toSent(
        await ports.threads.actions.answer(
          await requireThread(request, ports),
          request.body.question,
          request.body.value,
        ),
      ),
  }),
  route({
    ...messageRoute,
    id: 'steerThread',
    path: '/threads/{thread}/steer',
    summary:
      'Say something to the turn that runs; where it ends before it hears, this begins a turn of its own',
    body: messageBody.meta({ id: 'Steering' }),
    handle: async (request, ports) =>
      toSent(
        await ports.threads.actions.steer(
          await requireThread(request, ports),
          request.body,
          request.asker.name,
        ),
      ),
  }),
  route({
    ...messageRoute,
    id: 'editMessage',
    path: '/threads/{thread}/edit',
    summary:
      'Say a message in other words: it takes the place of that one and of all after it. What was written stays',
    body: messageBody
      .extend({ message: z.string().min(1).max(300).describe('id of the message, as GET messages says') })
      .meta({ id: 'MessageEdit' }),
    async handle(request, ports) {
      const id = await requireThread(request, ports);
      const { message: editedId, ...content } = request.body;
      const messages = await ports.threads.messages(id);
      if (!messages.some((one) => one.kind === 'user' && one.id === editedId))
        throw new SondeError('not_found', {
          message: `${id} has no message ${editedId} of the person`,
          remedy: 'GET its messages lists them; those that were compacted are gone.',
        });
      return toSent(await ports.threads.actions.edit(id, editedId, content, request.asker.name));
    },
  }),
  route({
    ...messageRoute,
    id: 'continueThread',
    path: '/threads/{thread}/continue',
    summary: 'Go on with a turn that was cancelled, failed or killed',
    handle: async (request, ports) =>
      toSent(await ports.threads.actions.continueTurn(await requireThread(request, ports))),
  }),
  route({
    ...threadRoute,
    id: 'cancelThread',
    path: '/threads/{thread}/cancel',
    summary: 'End the turn that runs; it can be continued',
    answer: z.strictObject({ cancelled: z.boolean().describe('false: nothing ran') }),
    errors: ['tool_failed'],
    handle: async (request, ports) => ({
      cancelled: await ports.threads.actions.cancel(await requireThread(request, ports)),
    }),
  }),
  route({
    ...threadRoute,
    id: 'dropThread',
    path: '/threads/{thread}/drop',
    summary: 'Give up a turn that is not finished, or its question; what it did stays',
    answer: thread,
    errors: ['tool_failed'],
    async handle(request, ports) {
      const id = await requireThread(request, ports);
      await ports.threads.actions.drop(id);
      return readThread(id, ports);
    },
  }),
  route({
    ...threadRoute,
    id: 'forkThread',
    path: '/threads/{thread}/fork',
    summary: 'Another conversation that begins where this one stood',
    body: z
      .strictObject({
        checkpoint: z.string().min(1).max(200).optional().describe('absent: where it stands now'),
        title: title.optional(),
      })
      .meta({ id: 'Fork' }),
    answer: thread,
    status: 201,
    async handle(request, ports) {
      const { checkpoint, title: newTitle } = request.body;
      const { id } = await ports.threads.fork({
        from: await requireThread(request, ports),
        to: createThreadId(ports.clock.now()),
        ...(checkpoint !== undefined && { checkpoint: checkpoint }),
        ...(newTitle !== undefined && { title: newTitle }),
      });
      return readThread(id, ports);
    },
  }),
  route({
    id: 'listCheckpoints',
    method: 'get',
    path: '/threads/{thread}/checkpoints',
    summary: 'The places that a fork can begin at, the last first',
    allowedRoles: roles,
    effect: 'read',
    params: threadParams,
    query: listQuery,
    answer: pageSchema(checkpoint),
    async handle(request, ports) {
      const { limit, cursor } = request.query;
      const [before] = readCursor(cursor, z.tuple([z.string()])) ?? [];
      const options = { limit: limit + 1, ...(before !== undefined && { before }) };
      const foundCheckpoints = await ports.threads.checkpoints(await requireThread(request, ports), options);
      const { items, next } = listPage(foundCheckpoints, limit, ({ id }) => [id]);
      return {
        items: items.map((checkpointNote) => ({
          ...checkpointNote,
          last: checkpointNote.last && toApiMessage(checkpointNote.last),
        })),
        next,
      };
    },
  }),
  route({
    id: 'followThread',
    method: 'get',
    path: '/threads/{thread}/events',
    summary:
      'What happens in a conversation: turns, tool calls with what they changed and read, and the answer as it is made. Last-Event-ID goes on after that event',
    allowedRoles: roles,
    effect: 'read',
    params: threadParams,
    answer: {
      media: 'text/event-stream',
      of: 'each event by its kind; those with an id are kept. `text` has {piece, from}: where in the answer the piece stands',
      event: threadEvent,
    },
    errors: ['gone'],
    async handle(request, ports) {
      const id = await requireThread(request, ports);
      const { log } = ports.threads;
      const after = lastEventId(request.headers);
      const [next] = await log.after(id, after);
      if (after > 0 && next !== undefined && next.seq > after + 1) throw eventsGoneError(next.seq);
      return streamThread({
        log,
        thread: id,
        after,
        signal: request.signal,
        maskForReader: request.maskForCaller,
        mayListen: request.asker.mayListen,
      });
    },
  }),
];
