import { Command, Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { jsonOption, settingOption } from '../flags.ts';
import { parseCount, type WorldFlags, workspaceOption } from './flags.ts';

interface AnalyseFlags extends WorldFlags {
  readonly limit?: string;
  readonly propose?: string;
  readonly model?: string;
}

/** Limits of the import analyst: findings of one kind, and submitted repairs. */
const [maxPerKind, maxProposals] = [500, 50];

function parseCountUpTo(max: number, flag: string, text: string | undefined, defaultValue: number): number {
  const count = parseCount(flag, text, defaultValue);
  if (count <= max) return count;
  throw new SondeError('bad_argument', {
    message: `${flag} is ${count}, more than ${max}`,
    remedy: `Give a number from 1 to ${max}.`,
  });
}

export function analyseCommand(): Command {
  return new Command('analyse')
    .description(
      'check the pages of a workspace after an import: broken links, orphans, duplicates, front matter, tags',
    )
    .argument('[page]', 'only this page and the pages below it')
    .addOption(new Option('--limit <n>', `maximum findings of each kind, up to ${maxPerKind} (default: 5)`))
    .addOption(
      new Option(
        '--propose <n>',
        `submit up to this many repairs, at most ${maxProposals}; they wait in the inbox`,
      ),
    )
    .addOption(workspaceOption())
    .addOption(settingOption('model', 'name'))
    .addOption(jsonOption('print the report as one JSON object'))
    .action(async (parentPage: string | undefined, flags: AnalyseFlags) => {
      const { analyseImport } = await import('../../workspace/analyse-import.ts');
      const { analysisText } = await import('./analysis-text.ts');
      const { listenForInterrupt } = await import('../interrupt.ts');
      const { print, printJson, tell, tellNote } = await import('../terminal.ts');
      const { workspace, model, limit, propose } = flags;
      const interrupt = listenForInterrupt();
      try {
        const { thread, report } = await analyseImport({
          settings: { ...(workspace !== undefined && { workspace }), ...(model !== undefined && { model }) },
          perKind: parseCountUpTo(maxPerKind, '--limit', limit, 5),
          proposals: propose === undefined ? 0 : parseCountUpTo(maxProposals, '--propose', propose, 1),
          signal: interrupt.signal,
          onNote: (note) => void tellNote(note),
          ...(parentPage !== undefined && { under: parentPage }),
        });
        await (flags.json === true ? printJson(report) : print(analysisText(report)));
        await tell(`sonde chat --thread ${thread} lets you ask about these findings.`);
      } finally {
        interrupt.dispose();
      }
    });
}
