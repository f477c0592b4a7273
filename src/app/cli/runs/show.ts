import { Command, Option } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption, settingOption } from '../flags.ts';

interface ShowFlags {
  readonly trace?: true;
  readonly evidence?: true;
  readonly claims?: true;
  readonly report?: true;
  readonly cells?: true;
  readonly artifact?: string;
  readonly html?: string | true;
  readonly json?: true;
  readonly workspace?: string;
}

export function showCommand(): Command {
  return new Command('show')
    .description('print a run: its report, its claims, its steps, its evidence or the code it ran')
    .argument('<run>', 'the run, or the beginning of its id')
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--trace', 'every step, as JSON').conflicts(['evidence', 'report', 'cells']))
    .addOption(
      new Option('--evidence', 'every piece of evidence, as JSON').conflicts(['trace', 'report', 'cells']),
    )
    .addOption(
      new Option(
        '--claims',
        'the claims of the answer and whether each was confirmed; with --json as JSON',
      ).conflicts(['trace', 'evidence', 'report', 'cells']),
    )
    .addOption(new Option('--report', 'the report, as Markdown (the default)'))
    .addOption(
      new Option('--cells', 'each cell of an investigation, with its calls and its output').conflicts([
        'report',
        'json',
      ]),
    )
    .addOption(
      new Option(
        '--artifact <name>',
        'a list that was too long to print in the answer: each item with its evidence, as JSON',
      ).conflicts(['trace', 'evidence', 'claims', 'report', 'cells']),
    )
    .addOption(
      new Option(
        '--html [file]',
        'write the run as one HTML file to share (default: RUN.html; - for standard output), without scripts, secrets or local paths',
      ).conflicts(['trace', 'evidence', 'claims', 'report', 'cells', 'artifact', 'json']),
    )
    .addOption(
      jsonOption(
        'print one JSON object {run_id, state, holder, question, root, created, result}; holder: the process that executes it; a run of sonde incident or sonde investigate has a further field with its record',
      ),
    )
    .action(async (run: string, flags: ShowFlags) => {
      const { openRun } = await import('../../runs/runs.ts');
      const { print, printJson } = await import('../terminal.ts');
      const view = await openRun(run, flags.workspace);
      currentProcess().exitCode = view.exitCode();
      if (flags.html !== undefined) {
        const { writeHtml } = await import('./write-html.ts');
        return writeHtml(await view.page(), flags.html === true ? `${view.run_id}.html` : flags.html);
      }
      if (flags.trace === true) return printJson(view.trace(), 2);
      if (flags.evidence === true) return printJson(view.evidence(), 2);
      if (flags.cells === true) return print(view.cells());
      if (flags.artifact !== undefined) {
        const { findArtifact } = await import('./claims-text.ts');
        return printJson(findArtifact(view, flags.artifact), 2);
      }
      if (flags.claims === true) {
        const { run_id, result } = view;
        const claims = view.claims();
        if (flags.json === true) return printJson({ run_id, status: result?.status ?? null, claims });
        const { artifactLines, claimsText } = await import('./claims-text.ts');
        return print([claimsText(claims), ...artifactLines(view)].join('\n\n'));
      }
      if (flags.json === true) {
        const { run_id, state, holder, question, root, created, result } = view;
        return printJson({ run_id, state, holder, question, root, created, result, ...view.fields() });
      }
      await print(view.report());
    });
}
