import { Command } from 'commander';
import { jsonOption } from '../flags.ts';
import { type WorldFlags, workspaceOption } from './flags.ts';

interface ReadFlags extends WorldFlags {
  readonly all?: true;
  readonly links?: true;
}

export function readCommand(): Command {
  return new Command('read')
    .description('print a page of a workspace as Markdown')
    .argument('<page>', 'its path, an alias or its id')
    .option('--all', 'include candidates: text of agents that nobody has promoted')
    .option('--links', 'also list its links and backlinks')
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON object: the page with its blocks, properties, tags'))
    .action(async (name: string, flags: ReadFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { findPage, recordShown } = await import('../../workspace/author.ts');
      const { pageText, linksText } = await import('./page-text.ts');
      const { isPrintable, hasOutputReader, print, printJson, tell } = await import('../terminal.ts');
      await withWorkspace(flags.workspace, async ({ world }) => {
        const page = findPage(world, name);
        if (flags.links === true) {
          const links = { links: world.links(page.id), backlinks: world.backlinks(page.id) };
          return flags.json === true ? printJson(links) : print(linksText(world, links));
        }
        const isCandidate = page.lifecycle === 'Candidate';
        const content = world.read(page.id, flags.all === true || isCandidate ? 'all' : 'canonical')!;
        if (flags.json === true) {
          await printJson(content);
          return hasOutputReader() ? recordShown(world, [content]) : undefined;
        }
        if (isCandidate)
          await tell(`note: an agent wrote this page; sonde world promote ${page.id} makes it yours`);
        if (content.flags > 0) await tell(`note: ${content.flags} flags: a source of this page was changed`);
        if (content.deviations > 0)
          await tell(`note: ${content.deviations} deviations wait for you: sonde world inbox`);
        const text = pageText(content);
        await print(text);
        if (hasOutputReader() && isPrintable(`${content.path}${text}`)) recordShown(world, [content]);
      });
    });
}
