/**
 * Makes a LangGraph graph of a conversation. A message goes in, and the agent's answer comes out. The agent's questions
 * are interrupts, answered through the outer graph. The conversation stores its own messages; a checkpointer stores the
 * current message, so that the same message starts nothing twice.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import type { CompileOptions } from './staged-graph.ts';

export interface TalkTurn {
  readonly status: string;
  readonly text: string;
  readonly questions: readonly { readonly id: string; readonly text: string }[];
}

export interface TalkWatch {
  readonly onText?: (piece: string) => void;
  readonly signal?: AbortSignal;
}

/** Sends messages to a named conversation, which is opened on first use. */
export interface Talker<Turn extends TalkTurn> {
  send(thread: string, message: string, id: string, watch: TalkWatch): Promise<Turn>;
  answer(thread: string, question: string, value: unknown, watch: TalkWatch): Promise<Turn>;
}

const latest = <Value>(start: Value) =>
  Annotation<Value>({ reducer: (_, next) => next, default: () => start });

/** Runs turns outside the context of the graph: LangGraph would treat a nested graph's threads as its own. */
const runOutside = AsyncLocalStorage.snapshot();

export function createTalkGraph<Turn extends TalkTurn>(
  { send, answer }: Talker<Turn>,
  { checkpointer }: CompileOptions = {},
) {
  const Channels = Annotation.Root({
    /** The message to the agent. */
    message: latest<string>(''),
    /** Names the conversation; empty: a new one. */
    talk: latest<string>(''),
    message_id: latest<string>(''),
    turn: latest<Turn | null>(null),
    /** The agent's last answer. */
    answer: latest<string>(''),
  });
  type TalkState = typeof Channels.State;
  interface Config {
    readonly signal?: AbortSignal;
    readonly writer?: (chunk: unknown) => void;
  }
  const toWatch = ({ signal, writer }: Config): TalkWatch => ({
    ...(signal && { signal }),
    ...(writer && { onText: (piece: string) => writer({ text: piece }) }),
  });
  const toUpdate = (turn: Turn) => ({ turn, answer: turn.text });

  const graph = new StateGraph(Channels)
    // This is a node of its own, so that the ids are stored before anything is sent with them.
    .addNode('take_message', ({ talk }: TalkState) => ({
      talk: talk === '' ? `graph-${randomUUID()}` : talk,
      message_id: `m-${randomUUID()}`,
      turn: null,
    }))
    .addNode('talk_on', async ({ talk, message, message_id }: TalkState, config: Config) =>
      toUpdate(await runOutside(send, talk, message, message_id, toWatch(config))),
    )
    .addNode('ask_person', async ({ talk, turn }: TalkState, config: Config) => {
      const question = turn!.questions[0]!;
      const value: unknown = interrupt({ question: question.text, id: question.id });
      return toUpdate(await runOutside(answer, talk, question.id, value, toWatch(config)));
    })
    .addEdge(START, 'take_message')
    .addEdge('take_message', 'talk_on')
    .addConditionalEdges('talk_on', hasQuestions, ['ask_person', END])
    .addConditionalEdges('ask_person', hasQuestions, ['ask_person', END]);
  return graph.compile({ ...(checkpointer && { checkpointer }) });
}

const hasQuestions = ({ turn }: { readonly turn: TalkTurn | null }) =>
  turn?.status === 'interrupted' && turn.questions.length > 0 ? 'ask_person' : END;
