import { Command, Option } from 'commander';
import { jsonOption } from '../flags.ts';
import { parseCount, type WorldFlags, workspaceOption } from './flags.ts';

interface LsFlags extends WorldFlags {
  readonly tag?: string;
  readonly all?: true;
  readonly tags?: true;
  readonly limit?: string;
}

export function lsCommand(): Command {
  return new Command('ls')
    .description('list the pages of a workspace, in the order of their paths')
    .argument('[page]', 'only this page and the pages below it')
    .option('--tag <tag>', 'only pages with this tag')
    .option('--tags', 'list the tags, not the pages')
    .option('--all', 'include candidates of agents')
    .addOption(new Option('--limit <n>', 'maximum pages (default: 1000)'))
    .addOption(workspaceOption())
    .addOption(jsonOption('print one JSON array'))
    .action(async (parentPage: string | undefined, flags: LsFlags) => {
      const { withWorkspace } = await import('../../workspace/workspace.ts');
      const { plainLine } = await import('../../../core/index.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      const limit = parseCount('--limit', flags.limit, 1000);
      await withWorkspace(flags.workspace, async ({ world }) => {
        const view = flags.all === true ? 'all' : 'canonical';
        if (flags.tags === true) {
          const tags = world.tags(parentPage, view).slice(0, limit);
          if (flags.json === true) return printJson(tags);
          return print(tags.map(({ tag, pages }) => `${pages}\t#${plainLine(tag)}`).join('\n'));
        }
        const pages = world.pages({
          view,
          // One more than requested, to know whether there are more.
          limit: limit + 1,
          ...(parentPage !== undefined && { under: parentPage }),
          ...(flags.tag !== undefined && { tag: flags.tag.replace(/^#/, '') }),
        });
        const shownPages = pages.slice(0, limit);
        if (flags.json === true) await printJson(shownPages);
        else if (shownPages.length === 0) await tell('No pages.');
        else
          await print(
            shownPages
              .map(({ path, lifecycle, id }) => `${lifecycle.padEnd(9)}  ${id}  ${plainLine(path)}`)
              .join('\n'),
          );
        if (pages.length > limit)
          await tell(`note: there are more; --limit ${limit * 10} shows more of them`);
      });
    });
}
