import { Command, Option } from 'commander';
import { jsonOption } from '../flags.ts';
import { parseCount, type WorldFlags, workspaceOption } from './flags.ts';

interface SearchFlags extends WorldFlags {
  readonly k?: string;
  readonly wide?: true;
  readonly under?: string;
  readonly tag?: string;
  readonly canonical?: true;
}

export function worldSearchCommand(): Command {
  return new Command('search')
    .description('search the pages of a workspace; candidates of agents are marked')
    .argument('<query>', 'what to look for')
    .addOption(new Option('--k <n>', 'how many results (default: 10; 400 with --wide)'))
    .option('--wide', 'print hundreds of results, best first, several per page if they match')
    .option('--under <page>', 'only this page and the pages below it')
    .option('--tag <tag>', 'only pages with this tag')
    .option('--canonical', 'leave out candidates: text of agents that nobody has accepted')
    .addOption(workspaceOption())
    .addOption(
      jsonOption(
        'print one JSON array of {page, path, title, lifecycle, blocks, found_in, snippet, score, provenance}; lifecycle: whether the page is a candidate; found_in: text, title or links; provenance: how it was found',
      ),
    )
    .action(async (query: string, flags: SearchFlags) => {
      const wide = flags.wide === true;
      const k = parseCount('--k', flags.k, wide ? 400 : 10);
      const { withWorkspaceReader } = await import('../../workspace/workspace.ts');
      const { searchPages } = await import('../../workspace/search.ts');
      const { plainLine } = await import('../../../core/index.ts');
      const { print, printJson, tell, tellNote } = await import('../terminal.ts');
      await withWorkspaceReader(flags.workspace, async (world) => {
        const { hits, notes } = await searchPages(world, {
          query,
          k,
          wide,
          ...(flags.under !== undefined && { under: flags.under }),
          ...(flags.tag !== undefined && { tag: flags.tag.replace(/^#/, '') }),
          ...(flags.canonical === true && { view: 'canonical' as const }),
        });
        for (const note of notes) await tellNote(note);
        if (flags.json === true) return printJson(hits);
        if (hits.length === 0) return tell('Nothing found.');
        await print(
          hits
            .map(
              ({ path, lifecycle, score, snippet }) =>
                `${plainLine(path)}  ${score.toFixed(3)}${lifecycle === 'Candidate' ? '  candidate' : ''}\n    ${plainLine(snippet)}`,
            )
            .join('\n'),
        );
      });
    });
}
