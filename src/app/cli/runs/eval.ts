import { Command } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';

interface EvalRunFlags {
  readonly model?: readonly string[];
  readonly baseline?: true;
  readonly sonde?: string;
  readonly out?: string;
  readonly resume?: true;
  readonly maxUsd?: string;
  readonly maxTokens?: string;
  readonly results?: string;
  readonly json?: true;
}

const maxSetBytes = 256_000_000;

export function evalCommand(): Command {
  const command = new Command('eval').description(
    'measure Sonde on questions with known answers, and compare two measurements',
  );
  command.addCommand(evalRunCommand());
  command.addCommand(compareCommand());
  return command;
}

const evalRunCommand = (): Command =>
  new Command('run')
    .description('ask every question of a set and judge the answers')
    .argument('<set>', 'a file of JSON lines, one question per line')
    .option(
      '--model <name>',
      'the model to measure; may be given several times',
      (name: string, previousNames: readonly string[] = []) => [...previousNames, name],
    )
    .option(
      '--baseline',
      'instead of Sonde, measure the same model with only grep and file reading, under the same budget',
    )
    .option('--sonde <folder>', 'measure the Sonde in another checkout instead, to compare two revisions')
    .option('--out <file>', 'the file that records the answers; by default named after the set')
    .option('--resume', 'continue a file that was started; questions answered in it are not asked again')
    .option('--max-usd <x>', 'maximum cost of all questions, in US dollars')
    .option('--max-tokens <n>', 'maximum tokens of all questions')
    .option(
      '--results <file#section>',
      'also write the tables into a section of a Markdown file, replacing its content',
    )
    .addOption(jsonOption('print one JSON object {out, ended, left, header, rows, summaries}'))
    .addHelpText(
      'after',
      `
A line of a set is {id, shape, root | repo + commit, question, scope?, gold: {files?, lines?, verdict?, answer?}}: shape is
research, investigation or incident; paths are relative to the set; lines are {path, start, end}; an incident lies in the
folder that root names. An answer is right
  if gold has a verdict or an answer: when it has the same;
  else if gold has lines: when it cites at least half of the gold lines of one file;
  else: when it cites a gold file.
A question that fails counts as wrong.

A section of a Markdown file is the text between the lines <!-- eval: NAME --> and <!-- /eval: NAME -->; --results
FILE#NAME writes the tables there, with the command, the commit and the hash of the set.

With --json: out: the recorded file; ended: done, budget or cancelled; left: how many questions were not asked; header: the
set, models and settings; rows: one per question and model; summaries: one per model.
Exit status: 0 if all questions were asked, 1 if a model failed on all of them, 2 for a wrong set (nothing was asked),
3 if the budget ended before the last question, 130 after Ctrl-C. --resume continues after 3 and 130.`,
    )
    .action(async (setFile: string, flags: EvalRunFlags) => {
      const { basename, resolve } = await import('node:path');
      const { readGivenFile } = await import('../given-file.ts');
      const { readQuestionSet } = await import('../../eval/question-set.ts');
      const { evaluate } = await import('../../eval/evaluate.ts');
      const { formatEvaluation, formatRow } = await import('../../eval/evaluation-text.ts');
      const { listenForInterrupt } = await import('../interrupt.ts');
      const { print, printJson, tell, tellNote } = await import('../terminal.ts');
      const section = await openSection(flags.results);
      const bytes = readGivenFile(setFile, {
        maxSize: maxSetBytes,
        remedies: { missing: 'Name a file of JSON lines.', large: 'Split the set.' },
      });
      const [maxUsd, maxTokens] = [
        parseAmount('--max-usd', flags.maxUsd),
        parseAmount('--max-tokens', flags.maxTokens),
      ];
      const interrupt = listenForInterrupt();
      try {
        const evaluation = await evaluate({
          set: readQuestionSet(bytes, resolve(setFile)),
          models: flags.model ?? [],
          baseline: flags.baseline === true,
          ...(flags.sonde !== undefined && { sonde: resolve(flags.sonde) }),
          out: resolve(flags.out ?? `${basename(setFile).replace(/\.jsonl?$/, '')}.eval.jsonl`),
          resume: flags.resume === true,
          ...(maxUsd !== undefined && { maxUsd }),
          ...(maxTokens !== undefined && { maxTokens }),
          signal: interrupt.signal,
          onRow: (row, doneCount, totalCount) => void tell(`${doneCount}/${totalCount} ${formatRow(row)}`),
          onNote: (note) => void tellNote(note),
        });
        const hasAnswers = evaluation.summaries.every(({ failed, rows }) => failed < rows);
        currentProcess().exitCode = { done: hasAnswers ? 0 : 1, budget: 3, cancelled: 130 }[evaluation.ended];
        if (section !== null) {
          const { evaluationMarkdown } = await import('../../eval/evaluation-markdown.ts');
          section.replace(evaluationMarkdown(evaluation));
        }
        await (flags.json === true ? printJson(evaluation) : print(formatEvaluation(evaluation)));
      } finally {
        interrupt.dispose();
      }
    });

const compareCommand = (): Command =>
  new Command('compare')
    .description('compare two measurements of one set, question by question')
    .argument('<a>', 'a file written by sonde eval run')
    .argument('<b>', 'another such file, for the same set')
    .option(
      '--results <file#section>',
      'also write the tables into a section of a Markdown file, replacing its content',
    )
    .addOption(jsonOption('print one JSON object {a, b, notes, differences}'))
    .addHelpText(
      'after',
      `
Each figure is the difference B - A over the same questions, with its 95 % interval. --results works as for sonde eval run.

Exit status: 0, or 2 if a file was not written by sonde eval, or the sets differ.`,
    )
    .action(async (fileA: string, fileB: string, flags: Pick<EvalRunFlags, 'json' | 'results'>) => {
      const { compareEvaluations } = await import('../../eval/compare.ts');
      const { formatDifference } = await import('../../eval/evaluation-text.ts');
      const { print, printJson, tellNote } = await import('../terminal.ts');
      const section = await openSection(flags.results);
      const comparison = compareEvaluations(fileA, fileB);
      if (section !== null) {
        const { comparisonMarkdown } = await import('../../eval/evaluation-markdown.ts');
        section.replace(comparisonMarkdown(comparison, [fileA, fileB]));
      }
      if (flags.json === true) return printJson(comparison);
      for (const note of comparison.notes) await tellNote(note);
      await print(comparison.differences.map(formatDifference).join('\n\n'));
    });

/** Opens the section of `--results`. Called before any question is asked, so that a wrong value costs nothing. */
async function openSection(target: string | undefined) {
  if (target === undefined) return null;
  return (await import('../../eval/results-section.ts')).openResultsSection(target);
}

function parseAmount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const amount = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && amount > 0) return amount;
  throw new SondeError('bad_argument', {
    message: `${flag} is ${JSON.stringify(text)}, not a number above 0`,
    remedy: 'Give a number above 0.',
  });
}
