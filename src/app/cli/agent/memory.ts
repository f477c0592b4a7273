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

/** Loads what these commands need when one of them runs, so that `sonde --help` stays quick. */
async function load(flags: MemoryFlags) {
  const { decideItem, filterOf, findTier, withMemory, asAuthor, memoryLine } = await import(
    '../../memory.ts'
  );
  const { print, printJson, tell } = await import('../terminal.ts');
  const tier: Tier | undefined = flags.tier === undefined ? undefined : await findTier(flags.tier);
  const alone = tier === 'account';
  return {
    decidedOn: decideItem,
    filterOf,
    withMemory,
    written: asAuthor,
    print,
    printJson,
    tell,
    tier,
    alone,
    line: memoryLine,
  };
}

const tierOption = (): Option =>
  new Option(
    '--tier <tier>',
    'which memories: of one conversation, one channel, the workspace, or the account (all of your workspaces)',
  );
const withPlace = (command: Command): Command =>
  command
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--thread <id>', 'only memories of this conversation'))
    .addOption(new Option('--channel <id>', 'only memories of this channel'));

async function list(flags: MemoryFlags): Promise<void> {
  const { withMemory, filterOf, tier, alone, line, print, printJson, tell } = await load(flags);
  const filter = filterOf(flags, tier, flags.match);
  const items = await withMemory(flags, alone, (memory) => memory.everything(filter));
  if (flags.json) return printJson(items);
  if (items.length === 0) return tell('Nothing is remembered.');
  await print(items.map(line).join('\n'));
}

async function put(key: string, text: string, flags: MemoryFlags): Promise<void> {
  const { withMemory, written, tier = 'workspace', alone, print, printJson } = await load(flags);
  const storedItem = await withMemory(flags, alone, (memory) =>
    written(memory, flags, (view, by) => view.put({ tier, key, text }, by)),
  );
  if (flags.json) return printJson({ id: storedItem.id, tier, key, change: storedItem.change });
  await print(`${storedItem.change} in ${tier}`);
}

async function remove(key: string, flags: MemoryFlags): Promise<void> {
  const { withMemory, written, tier = 'workspace', alone, print, printJson } = await load(flags);
  const { id } = await withMemory(flags, alone, (memory) =>
    written(memory, flags, (view, by) => view.forget(tier, key, by)),
  );
  if (flags.json) return printJson({ id, tier, key });
  await print(id === null ? `There was nothing of that key in ${tier}.` : `forgotten in ${tier}`);
}

async function scrub(flags: MemoryFlags): Promise<void> {
  const { withMemory, filterOf, tier, alone, line, print, printJson, tell } = await load(flags);
  const filter = filterOf(flags, tier, flags.match);
  const done = await withMemory(flags, alone, (memory) => {
    const items = memory.everything(filter);
    return { items, scrubbed: flags.yes ? memory.scrub(filter) : null };
  });
  const { items, scrubbed } = done;
  if (scrubbed?.erased === false) {
    currentProcess().exitCode = 1;
    await tell('The items are deleted, but another process is reading the file: close it and scrub again.');
  }
  if (flags.json) return printJson({ items, deleted: scrubbed !== null, erased: scrubbed?.erased ?? null });
  if (items.length > 0) await print(items.map(line).join('\n'));
  const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
  await tell(scrubbed === null ? `${count}. Nothing was deleted: add --yes.` : `${count} deleted.`);
}

async function decide(key: string, take: boolean, { json }: MemoryFlags): Promise<void> {
  const { decidedOn, withMemory, print, printJson } = await load({});
  const done = await withMemory({}, true, (memory) => decidedOn(memory, key, take));
  if (json) return printJson({ id: done.id, key, accepted: take });
  await print(take ? `${key} is in account now.` : `${key} was dropped.`);
}

export function memoryCommand(): Command {
  const group = new Command('memory').description('show, change or erase what agents remember');
  const add = (command: Command) => group.addCommand(withPlace(command).addOption(tierOption()));
  add(
    new Command('ls')
      .description('list what is remembered, newest first')
      .addOption(new Option('--match <text>', 'only memories that contain this text'))
      .addOption(jsonOption('print one JSON array'))
      .action(list),
  );
  add(
    new Command('put')
      .description('remember a text under a key, for the workspace unless --tier is given')
      .argument('<key>', 'one line')
      .argument('<text>', 'the text to remember')
      .addOption(jsonOption('print one JSON object'))
      .action(put),
  );
  add(
    new Command('rm')
      .description('forget the text of a key, in the workspace unless --tier is given')
      .argument('<key>', 'one line')
      .addOption(jsonOption('print one JSON object'))
      .action(remove),
  );
  add(
    new Command('scrub')
      .description('show all memories that match; with --yes delete them, also from free space in the files')
      .addOption(new Option('--match <text>', 'only memories that contain this text'))
      .option('--yes', 'delete what is shown')
      .addOption(jsonOption('print one JSON object'))
      .action(scrub),
  );
  for (const [name, what, take] of [
    ['accept', 'accept what an agent proposed to remember for you in all workspaces', true],
    ['reject', 'reject what an agent proposed to remember for you in all workspaces', false],
  ] as const)
    group.addCommand(
      new Command(name)
        .description(what)
        .argument('<key>', 'as sonde memory ls shows it')
        .addOption(jsonOption('print one JSON object'))
        .action((key: string, flags: MemoryFlags) => decide(key, take, flags)),
    );
  return group;
}
