/** `sonde mcp`: the protocol on standard input and output, which carries nothing else. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf, plainLine } from '../../core/index.ts';
import { environmentRedactor, loadConfiguration, processEnvironment } from '../config/index.ts';
import { allKinds } from '../kinds/find-kind.ts';
import { resolveRoot } from '../root.ts';
import { runTools } from './run-tools.ts';
import { runsServer } from './runs-server.ts';
import { redirectConsole, standardStreams, waitForClientExit } from './standard-streams.ts';
import { readStateKey } from './state-key.ts';
import { symbolTools } from './symbol-tools.ts';

/** Settings from the command line. */
export interface ServeSettings {
  readonly model?: string;
}

/** Resolves when the client has gone. Throws for a wrong path or configuration. */
export async function serve(path: string, settings: ServeSettings = {}): Promise<void> {
  const root = resolveRoot(path);
  const environment = processEnvironment();
  const { directories, notes, redact } = loadConfiguration({
    environment,
    project: root,
    flags: settings,
  });
  const redactAll = environmentRedactor(environment);
  const tell = redirectConsole(redactAll);
  for (const note of notes) tell(`note: ${plainLine(note)}`);
  const clean = (text: string): string => redactAll(redact(text));
  const tools = runTools({
    kinds: allKinds(),
    root,
    settings,
    key: readStateKey(directories.data),
    redact: clean,
  });
  const symbols = symbolTools(root, clean);
  const handle = serveStdio(() => runsServer(tools, root, clean, symbols.tools), {
    transport: standardStreams(),
    onerror: (error) => tell(`sonde mcp: ${messageOf(error)}`),
  });
  // Requests that are open when the client leaves are ended. Their runs can be resumed.
  await waitForClientExit();
  await tools.close();
  await symbols.close();
  await handle.close();
}
