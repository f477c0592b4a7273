/** `sonde mcp --agent`: other programs talk with the agent of a workspace. They get its texts, but not its tools. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf, plainLine } from '../../core/index.ts';
import { openLocalAgent } from '../agent/in-process.ts';
import { directories, processEnvironment, type SettingKey } from '../config/index.ts';
import { version } from '../version.ts';
import { type ConversationTool, conversationTool, messageInput } from './conversation-tool.ts';
import { redirectConsole, standardStreams, waitForClientExit } from './standard-streams.ts';
import { readStateKey } from './state-key.ts';

const instructions =
  'send_message talks with the agent of a workspace of notes, in conversations that you name. It answers from the ' +
  'pages with their ids; what it writes is a proposal to the author. If it asks a question, answering it continues the ' +
  'conversation, now or later.';

function conversationServer(tool: ConversationTool): McpServer {
  const server = new McpServer(
    { name: 'sonde', version: version() },
    { instructions, requestState: { verify: tool.verify }, inputRequired: { maxRounds: 32 } },
  );
  server.registerTool(
    'send_message',
    {
      title: 'Talk with the agent',
      description:
        'Sends a message to a conversation with the agent of the workspace, and waits for what it says.',
      inputSchema: messageInput,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (input, context) => tool.call(input, context),
  );
  return server;
}

export interface ServeConversationRequest {
  readonly workspace: string;
  readonly root?: string;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
}

/** Resolves when the client has gone. Throws for a missing workspace or an unusable model. */
export async function serveConversation(request: ServeConversationRequest): Promise<void> {
  const agent = await openLocalAgent(request);
  try {
    const { client, opened, notes } = agent;
    const tell = redirectConsole(opened.redact);
    for (const note of notes) tell(`note: ${plainLine(note)}`);
    const key = readStateKey(directories(processEnvironment()).data);
    const tool = conversationTool({ client, key, redact: opened.redact });
    const clientExit = waitForClientExit();
    const handle = serveStdio(() => conversationServer(tool), {
      transport: standardStreams(),
      onerror: (error) => tell(`sonde mcp: ${messageOf(error)}`),
    });
    await clientExit;
    await handle.close();
  } finally {
    await agent.close();
  }
}
