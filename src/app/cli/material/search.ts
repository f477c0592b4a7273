import { Command, Option } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { checkMaxHits } from '../../search/max-hits.ts';
import { jsonOption, scopeOption } from '../flags.ts';

interface SearchFlags {
  readonly scope?: string;
  readonly k?: string;
  readonly wide?: true;
  readonly json?: true;
}

/** Maximum lines of a hit that are printed. */
const maxLines = 6;
/** Maximum characters of a line that are printed. */
const maxLineLength = 160;

/** The indentation of a line as at most 24 spaces, two for each tab. */
const normalizeIndent = (line: string): string =>
  ' '.repeat(Math.min(24, /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '  ').length ?? 0));

/** Returns the number if the text consists of digits; else the text, which `checkMaxHits` then refuses. */
const parseCount = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

export function searchCommand(): Command {
  return new Command('search')
    .description('search a folder for the best matching lines of its files')
    .argument('<query>', 'what to look for')
    .argument('[path]', 'the folder to look into', '.')
    .addOption(new Option('--k <n>', 'how many results (default: 10; 1000 with --wide)'))
    .option('--wide', 'print hundreds to thousands of results, best first, several per file if they match')
    .addOption(scopeOption())
    .addOption(
      jsonOption(
        'print one JSON array of {path, start, end, score, provenance, spans, text}; start, end: line numbers; provenance: how it was found; spans: the best passages within these lines',
      ),
    )
    .action(async (query: string, path: string, flags: SearchFlags) => {
      const k = flags.k === undefined ? undefined : checkMaxHits(parseCount(flags.k), '--k', flags.k);
      const { searchTree } = await import('../../search/search-tree.ts');
      const { formatProgress } = await import('../../search/index-progress.ts');
      const { shortLine, escapePath } = await import('../../../core/index.ts');
      const { bestMatchingLines } = await import('../../search/hit-text.ts');
      const { print, printJson, tell, tellNote } = await import('../terminal.ts');
      const { hits, notes } = await searchTree({
        query,
        root: path,
        scope: flags.scope,
        wide: flags.wide,
        k,
        // --json prints whole hits; without it, only the best passage of each is printed.
        passages: flags.json !== true && flags.wide !== true,
        onIndex: (progress) => {
          if (currentProcess().stderr.isTTY) void tell(formatProgress(progress));
        },
      });
      for (const note of notes) await tellNote(note);
      if (flags.json === true) await printJson(hits);
      else if (hits.length === 0) await tell('Nothing found.');
      else
        await print(
          hits
            .map(
              (hit) =>
                `${escapePath(hit.path)}:${hit.start}-${hit.end} ${hit.score.toFixed(3)} ${hit.provenance}` +
                bestMatchingLines(hit.text, query, maxLines, maxLineLength)
                  .map(
                    ({ offset, line }) =>
                      `\n  ${hit.start + offset}: ${normalizeIndent(line)}${shortLine(line, maxLineLength)}`,
                  )
                  .join(''),
            )
            .join('\n'),
        );
    });
}
