import { Command, Option } from 'commander';
import type { Tier } from '../../../memory/index.ts';
import { currentProcess } from '../../current-process.ts';
import type { MemoryPlace } from '../../memory.ts';
import { jsonOption, settingOption } from '../flags.ts';

interface MemoryFlags extends MemoryPlace {
  readonly tier?: string;
  readonly match?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** Loads what a command needs only when it runs, so that `sonde --help` stays fast. */
async function load(flags: MemoryFlags) {
  const { decideMemory, toMemoryFilter, findTier, withMemory, writeAsAuthor, formatMemory } = await import(
    '../../memory.ts'
  );
  const { print, printJson, tell } = await import('../terminal.ts');
  const tier: Tier | undefined = flags.tier === undefined ? undefined : await findTier(flags.tier);
  const accountOnly = tier === 'account';
  return {
    decideMemory,
    toMemoryFilter,
    withMemory,
    writeAsAuthor,
    print,
    printJson,
    tell,
    tier,
    accountOnly,
    formatMemory,
  };
}

const addFilterOptions = (command: Command): Command =>
  command
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--thread <id>', 'only memories of this conversation'))
    .addOption(new Option('--channel <id>', 'only memories of this channel'))
    .addOption(
      new Option(
        '--tier <tier>',
        'only memories of this tier: thread (a conversation), channel, workspace, or account (all of your workspaces)',
      ),
    );
const addPlaceOptions = (command: Command): Command =>
  command
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--thread <id>', 'the conversation, with --tier thread'))
    .addOption(new Option('--channel <id>', 'the channel, with --tier channel'))
    .addOption(
      new Option(
        '--tier <tier>',
        'who shares the memory: thread (a conversation), channel, workspace, or account (all of your workspaces). Default: workspace',
      ),
    );

async function list(flags: MemoryFlags): Promise<void> {
  const { withMemory, toMemoryFilter, tier, accountOnly, formatMemory, print, printJson, tell } =
    await load(flags);
  const filter = toMemoryFilter(flags, tier, flags.match);
  const items = await withMemory(flags, accountOnly, (memory) => memory.listAll(filter));
  if (flags.json) return printJson(items);
  if (items.length === 0) return tell('Nothing is remembered.');
  await print(items.map(formatMemory).join('\n'));
}

async function put(key: string, text: string, flags: MemoryFlags): Promise<void> {
  const { withMemory, writeAsAuthor, tier = 'workspace', accountOnly, print, printJson } = await load(flags);
  const storedItem = await withMemory(flags, accountOnly, (memory) =>
    writeAsAuthor(memory, flags, (view, by) => view.put({ tier, key, text }, by)),
  );
  if (flags.json) return printJson({ id: storedItem.id, tier, key, change: storedItem.change });
  await print(`${storedItem.change} in ${tier}`);
}

async function remove(key: string, flags: MemoryFlags): Promise<void> {
  const { withMemory, writeAsAuthor, tier = 'workspace', accountOnly, print, printJson } = await load(flags);
  const { id } = await withMemory(flags, accountOnly, (memory) =>
    writeAsAuthor(memory, flags, (view, by) => view.forget(tier, key, by)),
  );
  if (flags.json) return printJson({ id, tier, key });
  await print(id === null ? `There is no memory with that key in ${tier}.` : `forgotten in ${tier}`);
}

async function scrub(flags: MemoryFlags): Promise<void> {
  const { withMemory, toMemoryFilter, tier, accountOnly, formatMemory, print, printJson, tell } =
    await load(flags);
  const filter = toMemoryFilter(flags, tier, flags.match);
  const outcome = await withMemory(flags, accountOnly, (memory) => {
    const items = memory.listAll(filter);
    return { items, scrubbed: flags.yes ? memory.scrub(filter) : null };
  });
  const { items, scrubbed } = outcome;
  if (scrubbed?.erased === false) {
    currentProcess().exitCode = 1;
    await tell(
      'The items are deleted, but not yet erased from the file, because another process is reading it: end that process and scrub again.',
    );
  }
  if (flags.json) return printJson({ items, deleted: scrubbed !== null, erased: scrubbed?.erased ?? null });
  if (items.length > 0) await print(items.map(formatMemory).join('\n'));
  const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
  await tell(scrubbed === null ? `${count}. Nothing was deleted: add --yes.` : `${count} deleted.`);
}

async function decide(key: string, isAccepted: boolean, { json }: MemoryFlags): Promise<void> {
  const { decideMemory, withMemory, print, printJson } = await load({});
  const { id } = await withMemory({}, true, (memory) => decideMemory(memory, key, isAccepted));
  if (json) return printJson({ id, key, accepted: isAccepted });
  await print(isAccepted ? `${key} is in your account memory now.` : `${key} was rejected.`);
}

export function memoryCommand(): Command {
  const group = new Command('memory').description('show, change or erase what agents remember');
  const addFilteredCommand = (command: Command) => group.addCommand(addFilterOptions(command));
  const addPlacedCommand = (command: Command) => group.addCommand(addPlaceOptions(command));
  addFilteredCommand(
    new Command('ls')
      .description('list what is remembered, newest first')
      .addOption(new Option('--match <text>', 'only memories that contain this text'))
      .addOption(jsonOption('print one JSON array'))
      .action(list),
  );
  addPlacedCommand(
    new Command('put')
      .description('remember a text under a key')
      .argument('<key>', 'the key of the memory, one line')
      .argument('<text>', 'the text to remember')
      .addOption(jsonOption('print one JSON object'))
      .action(put),
  );
  addPlacedCommand(
    new Command('rm')
      .description('forget the memory with a key')
      .argument('<key>', 'the key of the memory')
      .addOption(jsonOption('print one JSON object'))
      .action(remove),
  );
  addFilteredCommand(
    new Command('scrub')
      .description(
        'erase memories, also from freed space in the database files; without --yes only list them',
      )
      .addOption(new Option('--match <text>', 'only memories that contain this text'))
      .option('--yes', 'erase the listed memories')
      .addOption(jsonOption('print one JSON object'))
      .action(scrub),
  );
  for (const [name, description, isAccepted] of [
    ['accept', 'accept a memory that an agent proposed for your account (all workspaces)', true],
    ['reject', 'reject a memory that an agent proposed for your account (all workspaces)', false],
  ] as const)
    group.addCommand(
      new Command(name)
        .description(description)
        .argument('<key>', 'the key of the memory, as sonde memory ls prints it')
        .addOption(jsonOption('print one JSON object'))
        .action((key: string, flags: MemoryFlags) => decide(key, isAccepted, flags)),
    );
  return group;
}
