/**
 * Assembles the command line. Each command has a file and a line in the table here. Only the requested command is loaded;
 * `sonde --help` loads all.
 */
import { Command, Help } from 'commander';
import { currentProcess } from '../current-process.ts';
import type { RunKind } from '../runs/run-kind.ts';
import { version } from '../version.ts';
import { type CommandTable, loadCommands } from './command-table.ts';

/** Commands in the order of the help, which lists the kinds of run before them. */
const commandTable = (subcommand: string | undefined): CommandTable => ({
  search: async () => (await import('./material/search.ts')).searchCommand(),
  ...Object.fromEntries(symbolCommandNames.map((name) => [name, () => symbolCommand(name)])),
  index: async () => (await import('./material/index-tree.ts')).indexCommand(),
  resume: async () => (await import('./runs/resume.ts')).resumeCommand(),
  runs: async () => (await import('./runs/runs.ts')).runsCommand(),
  show: async () => (await import('./runs/show.ts')).showCommand(),
  replay: async () => (await import('./runs/replay.ts')).replayCommand(),
  prune: async () => (await import('./setup/prune.ts')).pruneCommand(),
  store: async () => (await import('./setup/store.ts')).storeCommand(),
  verify: async () => (await import('./material/verify.ts')).verifyCommand(),
  eval: async () => (await import('./runs/eval.ts')).evalCommand(),
  python: async () => (await import('./runs/python.ts')).pythonCommand(),
  world: async () => (await import('./world/world.ts')).worldCommand(subcommand),
  memory: async () => (await import('./agent/memory.ts')).memoryCommand(),
  channel: async () => (await import('./server/channel.ts')).channelCommand(),
  role: async () => (await import('./team/role.ts')).roleCommand(),
  schedule: async () => (await import('./agent/schedule.ts')).scheduleCommand(),
  init: async () => (await import('./setup/init.ts')).initCommand(),
  doctor: async () => (await import('./setup/doctor.ts')).doctorCommand(),
  config: async () => (await import('./setup/config.ts')).configCommand(),
  mcp: async () => (await import('./agent/mcp.ts')).mcpCommand(),
  acp: async () => (await import('./agent/acp.ts')).acpCommand(),
  ui: async () => (await import('./server/ui.ts')).uiCommand(),
  serve: async () => (await import('./server/serve.ts')).serveCommand(),
  worker: async () => (await import('./server/worker.ts')).workerCommand(),
  queue: async () => (await import('./server/queue.ts')).queueCommand(),
  team: async () => (await import('./team/team.ts')).teamCommand(),
  audit: async () => (await import('./team/audit.ts')).auditCommand(),
  alerts: async () => (await import('./server/alerts.ts')).alertsCommand(),
  token: async () => (await import('./team/token.ts')).tokenCommand(),
});

/** The help lists it between the first kind of run and the others. */
const chatTable: CommandTable = { chat: async () => (await import('./agent/chat.ts')).chatCommand() };

const symbolCommandNames = ['outline', 'refs', 'impact', 'path', 'hover', 'tree', 'expand'] as const;

async function symbolCommand(name: string): Promise<Command> {
  const { symbolCommands } = await import('./material/symbols.ts');
  return symbolCommands().find((command) => command.name() === name)!;
}

/**
 * Loaders of single kinds of run, so that `sonde ask` does not load incidents. For a kind that is not listed, all kinds
 * are loaded.
 */
export const kindLoaders: Readonly<Record<string, () => Promise<RunKind>>> = {
  ask: async () => (await import('../kinds/research.ts')).research,
  investigate: async () => (await import('../kinds/investigation.ts')).investigation,
  incident: async () => (await import('../kinds/incident.ts')).incident,
};

/** Returns the command of the kind of run with this name; if there is none, the commands of all kinds. */
async function loadKindCommands(name: string | undefined): Promise<readonly Command[]> {
  const { runCommand } = await import('./runs/run-command.ts');
  if (name !== undefined && Object.hasOwn(kindLoaders, name)) return [runCommand(await kindLoaders[name]!())];
  const kinds = (await import('../kinds/find-kind.ts')).allKinds();
  const runKind = kinds.find(({ command }) => command.name === name);
  return (runKind === undefined ? kinds : [runKind]).map(runCommand);
}

async function selectCommands([name, subcommand]: readonly string[]): Promise<readonly Command[]> {
  const otherCommands = commandTable(subcommand);
  if (name !== undefined && Object.hasOwn(chatTable, name)) return loadCommands(chatTable, name);
  if (name !== undefined && Object.hasOwn(otherCommands, name)) return loadCommands(otherCommands, name);
  const kinds = await loadKindCommands(name);
  if (kinds.length === 1 && kinds[0]?.name() === name) return kinds;
  const [firstKind, ...otherKinds] = kinds;
  return [
    ...(firstKind === undefined ? [] : [firstKind]),
    ...(await loadCommands(chatTable, undefined)),
    ...otherKinds,
    ...(await loadCommands(otherCommands, undefined)),
  ];
}

/** Adds an example to the help of a command. */
function showExample(command: Command, example: string | undefined): void {
  if (example === undefined) return;
  command.configureHelp({
    formatHelp: (shownCommand, helper) =>
      `${Help.prototype.formatHelp.call(helper, shownCommand, helper)}\nExample:\n  ${example}\n`,
  });
}

/** Creates a program with only the command that the arguments name, or with all commands if they name none. */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('sonde')
    .description(
      'Ask one hard question about a large body of material; get one short answer that was checked.',
    )
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true);
  const commands = await selectCommands(args);
  for (const command of commands) program.addCommand(command);
  // Examples are loaded only if help may be printed.
  if (args.length === 0 || args.some((word) => /^(?:-h|--help|help)$/.test(word))) {
    const { examples } = await import('./examples.ts');
    for (const command of commands) {
      showExample(command, examples[command.name()]);
      for (const subcommand of command.commands)
        showExample(subcommand, examples[`${command.name()} ${subcommand.name()}`]);
    }
  }
  for (const command of [program, ...commands, ...commands.flatMap((parent) => parent.commands)])
    command
      .helpOption('-h, --help', 'print this help')
      .exitOverride()
      // Errors are printed once, by main, with their remedy.
      .configureOutput({
        outputError: () => {},
        writeOut: (text) => void currentProcess().stdout.write(text),
        writeErr: (text) => void currentProcess().stderr.write(text),
      });
  return program;
}
