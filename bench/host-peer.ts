/**
 * The least that a server of the protocol can be: one tool that gives back its arguments, on standard streams. What
 * `bench/host.ts` measures beside it is then the host's own.
 */
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new Server({ name: 'peer', version: '0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'echo', description: 'Gives back its arguments.', inputSchema: { type: 'object' as const } },
    ],
  }));
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(params.arguments) }],
  }));
  return server;
});
