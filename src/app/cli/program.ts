/** The command line, composed: one file a command. Reading this file must stay cheap, for `sonde --help`. */
import { Command } from 'commander';
import { currentProcess } from '../current-process.ts';
import { allKinds } from '../kinds/kind-of.ts';
import { version } from '../version.ts';
import { alertsCommand } from './alerts.ts';
import { channelCommand } from './channel.ts';
import { chatCommand } from './chat.ts';
import { configCommand } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { evalCommand } from './eval.ts';
import { indexCommand } from './index-tree.ts';
import { mcpCommand } from './mcp.ts';
import { memoryCommand } from './memory.ts';
import { pruneCommand } from './prune.ts';
import { pythonCommand } from './python.ts';
import { replayCommand } from './replay.ts';
import { resumeCommand } from './resume.ts';
import { roleCommand } from './role.ts';
import { runCommand } from './run-command.ts';
import { runsCommand } from './runs.ts';
import { scheduleCommand } from './schedule.ts';
import { searchCommand } from './search.ts';
import { serveCommand } from './serve.ts';
import { showCommand } from './show.ts';
import { symbolCommands } from './symbols.ts';
import { tokenCommand } from './token.ts';
import { verifyCommand } from './verify.ts';
import { worldCommand } from './world/world.ts';

export function createProgram(): Command {
  const [first, ...others] = allKinds().map(runCommand);
  const program = new Command('sonde')
    .description(
      'Ask one hard question about a large body of material; get one short answer that was checked.',
    )
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true);
  const commands = [
    ...(first === undefined ? [] : [first]),
    chatCommand(),
    ...others,
    searchCommand(),
    ...symbolCommands(),
    indexCommand(),
    resumeCommand(),
    runsCommand(),
    showCommand(),
    replayCommand(),
    pruneCommand(),
    verifyCommand(),
    evalCommand(),
    pythonCommand(),
    worldCommand(),
    memoryCommand(),
    channelCommand(),
    roleCommand(),
    scheduleCommand(),
    doctorCommand(),
    configCommand(),
    mcpCommand(),
    serveCommand(),
    alertsCommand(),
    tokenCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands, ...commands.flatMap((each) => each.commands)])
    command
      .helpOption('-h, --help', 'print this help')
      .exitOverride()
      // Errors are printed once, by main, as a message and a remedy.
      .configureOutput({
        outputError: () => {},
        writeOut: (text) => void currentProcess().stdout.write(text),
        writeErr: (text) => void currentProcess().stderr.write(text),
      });
  return program;
}
