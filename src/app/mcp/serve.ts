/** `sonde mcp`: the protocol on standard input and output, which carries nothing else. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf, plain } from '../../core/index.ts';

import { environmentRedactor, loadConfiguration, processEnvironment } from '../config/index.ts';
import { resolveRoot } from '../root.ts';
import { researchServer } from './research-server.ts';
import { researchTool } from './research-tool.ts';
import { stateKey } from './state-key.ts';

/** Resolves when the client has gone. Throws what a wrong path or a wrong configuration throws. */
export async function serve(path: string): Promise<void> {
  const root = resolveRoot(path);
  const environment = processEnvironment();
  const { directories, notes, redact } = loadConfiguration({ environment, project: root });
  const redactAll = environmentRedactor(environment);
  const tell = (text: string): void => void process.stderr.write(`${plain(redactAll(text))}\n`);
  // A library that prints to standard output would break the protocol.
  for (const method of ['log', 'info', 'debug'] as const)
    console[method] = (...values: unknown[]) => tell(values.map(String).join(' '));
  for (const note of notes) tell(`note: ${note}`);
  const tool = researchTool({
    root,
    key: stateKey(directories.data),
    redact: (text) => redactAll(redact(text)),
  });
  const handle = serveStdio(() => researchServer(tool), {
    onerror: (error) => tell(`sonde mcp: ${messageOf(error)}`),
  });
  await new Promise<void>((done) => {
    // Requests in flight when the client closes its end are ended with it; their runs can be resumed.
    for (const name of ['end', 'close'] as const) process.stdin.once(name, () => done());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  await tool.close();
  await handle.close();
}
