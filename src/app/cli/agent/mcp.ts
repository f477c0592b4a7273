import { Command, Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { allowHelp, settingOption } from '../flags.ts';

interface McpFlags {
  readonly workspace?: string;
  readonly allow?: string;
  readonly http?: string | true;
  readonly agent?: true;
  readonly model?: string;
}

/** Returns the port of `--http`; 0 for any free port, undefined without the flag (standard input and output). */
function parsePort(http: string | true | undefined): number | undefined {
  if (http === undefined) return undefined;
  const port = http === true ? 0 : Number(http);
  if (http === true || (/^\d{1,5}$/.test(http) && port < 65_536)) return port;
  throw new SondeError('bad_argument', {
    message: `--http is ${JSON.stringify(http)}, not a port`,
    remedy: 'Give a port from 0 to 65535. 0, or --http without a number, chooses a free port.',
  });
}

async function serveMcp(path: string | undefined, flags: McpFlags): Promise<void> {
  const { workspace, allow, http, agent, model } = flags;
  const port = parsePort(http);
  if (agent === true) {
    if (workspace === undefined || allow !== undefined || port !== undefined)
      throw new SondeError('bad_argument', {
        message: '--agent needs --workspace, and cannot be combined with --allow or --http',
        remedy: 'Give --agent --workspace NAME only. To talk with an agent over HTTP, use sonde serve.',
      });
    const { serveConversation } = await import('../../mcp/serve-conversation.ts');
    return serveConversation({
      workspace,
      settings: { workspace, ...(model !== undefined && { model }) },
      ...(path !== undefined && { root: path }),
    });
  }
  if (workspace !== undefined) {
    if (model !== undefined)
      throw new SondeError('bad_argument', {
        message: '--model was given, but the tools of a workspace call no model',
        remedy: 'Leave it out, or add --agent to talk with the agent of the workspace.',
      });
    const { serveHost } = await import('../../mcp/serve-host.ts');
    return serveHost({
      workspace,
      ...(allow !== undefined && { allow }),
      ...(path !== undefined && { root: path }),
      ...(port !== undefined && { http: port }),
    });
  }
  if (allow !== undefined || port !== undefined)
    throw new SondeError('bad_argument', {
      message: `${allow === undefined ? '--http' : '--allow'} was given without --workspace`,
      remedy: 'It applies to the tools of a workspace: name the workspace with --workspace.',
    });
  const { serve } = await import('../../mcp/serve.ts');
  await serve(path ?? '.', model === undefined ? {} : { model });
}

export function mcpCommand(): Command {
  return new Command('mcp')
    .description(
      'let other agents use Sonde over the Model Context Protocol, on standard input and output. They can ask questions about a folder; with --workspace, use the tools of a workspace; with --workspace and --agent, talk with its agent',
    )
    .argument(
      '[path]',
      'the folder that questions are about (default: "."); with --workspace, the folder that the code tools read',
    )
    .addOption(
      new Option('--workspace <name>', 'offer the tools of this workspace: pages, memory, Python, code'),
    )
    .addOption(
      new Option(
        '--allow <set>',
        `what the client may do. ${allowHelp} (default: external). With --http, no token may do more than this`,
      ),
    )
    .option(
      '--agent',
      'with --workspace: offer only the tool send_message, to talk with the agent of the workspace',
    )
    .addOption(
      settingOption(
        'model',
        'name',
        'Language model (default: auto, the first one that is configured). extractive: use no model, and answer with the lines that a search finds. mcp: the model of the client.',
      ),
    )
    .addOption(
      new Option(
        '--http [port]',
        'serve over HTTP on this machine instead of standard input and output, to clients with a token (sonde token); without a number: on a free port',
      ),
    )
    .action(serveMcp);
}
