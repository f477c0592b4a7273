import { Command } from 'commander';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

interface ReadFlags extends WorldFlags {
  readonly all?: true;
  readonly links?: true;
}

export function readCommand(): Command {
  return new Command('read')
    .description('print a page as Markdown')
    .argument('<page>', 'its path, an alias or its id')
    .option('--all', 'include candidates: text of agents that nobody has promoted')
    .option('--links', 'also list its links and backlinks')
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON object: the page with its blocks, properties, tags'))
    .action(async (name: string, flags: ReadFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { findPage, recordShown } = await import('../../workspace/author.ts');
      const { pageLines, linkLines } = await import('./page-text.ts');
      const { isPrintable, isRead, print, printJson, tell } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async ({ world }) => {
        const page = findPage(world, name);
        if (flags.links === true) {
          const links = { links: world.links(page.id), backlinks: world.backlinks(page.id) };
          return flags.json === true ? printJson(links) : print(linkLines(world, links));
        }
        const candidate = page.lifecycle === 'Candidate';
        const read = world.read(page.id, flags.all === true || candidate ? 'all' : 'canonical')!;
        if (flags.json === true) {
          await printJson(read);
          return isRead() ? recordShown(world, [read]) : undefined;
        }
        if (candidate)
          await tell(`note: an agent wrote this page; sonde world promote ${page.id} makes it yours`);
        if (read.flags > 0) await tell(`note: ${read.flags} flags: something it derives from was changed`);
        if (read.deviations > 0)
          await tell(`note: ${read.deviations} deviations wait for you: sonde world inbox`);
        const text = pageLines(read);
        await print(text);
        if (isRead() && isPrintable(`${read.path}${text}`)) recordShown(world, [read]);
      });
    });
}
