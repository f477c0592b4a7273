import { Command } from 'commander';
import type { VerifiedLine } from '../../../code/index.ts';
import { SondeError } from '../../../core/index.ts';
import type { ClaimVerdict } from '../../../gate/index.ts';
import { currentProcess } from '../../current-process.ts';
import { readStandardInput } from '../../standard-input.ts';
import type { AnswerLine } from '../../verify/verify-answers.ts';
import type { ConfiguredReader } from '../../verify/verify-models.ts';
import { jsonOption } from '../flags.ts';

/** How the status of a citation is printed. */
const statusText: Readonly<Record<VerifiedLine['status'], string>> = {
  valid: 'valid',
  changed: 'changed',
  missing_file: 'missing file',
  out_of_range: 'out of range',
  quote_not_found: 'quote not there',
  not_read: 'not read',
  outside_root: 'outside the folder',
  not_text: 'not a text',
  bad_line: 'bad line',
};

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'check an answer, of Sonde or of any other tool, against the files: its citations, and each claim against the lines it cites',
    )
    .argument(
      '<file>',
      'a file of JSON lines, each a citation {path, start, end, quote?} or an answer {answer, citations, question?}; - for standard input',
    )
    .option('--path <dir>', 'the folder that the paths are relative to', '.')
    .option(
      '--model <name>',
      'let this model decide the claims that Sonde can neither confirm nor refute by itself; sonde ask --help lists the names',
    )
    .option(
      '--max-tokens <n>',
      'maximum tokens of that model over all lines (default: the setting max_tokens)',
    )
    .option(
      '--max-usd <x>',
      'maximum cost of that model over all lines, in US dollars (default: the setting max_usd)',
    )
    .addOption(jsonOption('print one JSON object per line of input, in the same order'))
    .addHelpText(
      'after',
      `
A line is a citation, {path, start, end, quote?}, or an answer, {answer, citations: [{path, start, end, quote?}], question?}.
An answer cites by [1], the number of a citation, or by path:start-end; a sentence that cites nothing is checked against
all citations.
Each claim gets a verdict: shown (the cited lines say it), unclear, contradicted or not shown. With --model a model
reads the unclear ones: it sees claims and lines, not the question, and may find them supported. Claims that are left
when its budget ends stay unclear, and so do all if the model fails; the output says so.

Exit status: 0 if every citation is valid and every claim is shown, or supported by the model; 1 if one is not; 2 for
wrong usage, and for an input without a line. If the reader of the output closes it early, the status is 0.`,
    )
    .action(async (file: string, flags: VerifyFlags) => {
      const { openVerifyPorts } = await import('../../verify/verify-ports.ts');
      const { verifyText } = await import('../../verify/verify-answers.ts');
      const { print, printJson, tell } = await import('../terminal.ts');
      const ports = await openVerifyPorts(flags.path);
      const reader = await openReader(flags);
      const portsWithReader = { ...ports, ...(reader !== null && { readClaims: reader.read }) };
      const citationCounts = new Map<VerifiedLine['status'], number>();
      const claimCounts = new Map<ClaimVerdict, number>();
      let allConfirmed = true;
      const input = await readInput(file);
      if (input.replace(/^\uFEFF/, '').trim() === '')
        throw new SondeError('bad_argument', {
          message: `${file === '-' ? 'Standard input' : file} has no line`,
          remedy: 'Give a file of JSON lines, each a citation or an answer: nothing was checked.',
        });
      for await (const verifiedResult of verifyText(input, portsWithReader)) {
        if (flags.json === true) await printJson(verifiedResult.result);
        if (verifiedResult.kind === 'citation') {
          const { result } = verifiedResult;
          citationCounts.set(result.status, (citationCounts.get(result.status) ?? 0) + 1);
          allConfirmed &&= result.status === 'valid';
          if (flags.json !== true && result.status !== 'valid') await print(await formatCitation(result));
          continue;
        }
        for (const { verdict } of verifiedResult.result.claims)
          claimCounts.set(verdict, (claimCounts.get(verdict) ?? 0) + 1);
        allConfirmed &&=
          verifiedResult.result.status === 'verified' &&
          verifiedResult.result.citations.every(({ status }) => status === 'valid');
        if (flags.json !== true)
          for (const line of await formatAnswer(verifiedResult.result)) await print(line);
      }
      if (flags.json !== true) {
        if (citationCounts.size > 0 || claimCounts.size === 0)
          await print(formatCitationSummary(citationCounts));
        if (claimCounts.size > 0) await print(formatClaimSummary(claimCounts));
      }
      // With JSON, each line of standard output belongs to a line of input, so the cost goes to standard error.
      if (reader !== null) await (flags.json === true ? tell : print)(formatSpent(reader));
      // A citation or claim is wrong, which is neither wrong usage nor a failure.
      if (!allConfirmed) currentProcess().exitCode = 1;
    });
}

interface VerifyFlags {
  readonly path: string;
  readonly json?: true;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
}

async function openReader({ path, model, maxTokens, maxUsd }: VerifyFlags): Promise<ConfiguredReader | null> {
  if (model === undefined) {
    if (maxTokens === undefined && maxUsd === undefined) return null;
    throw new SondeError('bad_argument', {
      message: `${maxTokens === undefined ? '--max-usd' : '--max-tokens'} was given without --model`,
      remedy: 'It limits the model that reads claims: name the model with --model.',
    });
  }
  const { openConfiguredReader } = await import('../../verify/verify-models.ts');
  const { tellNote } = await import('../terminal.ts');
  const settings = {
    model,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(maxUsd !== undefined && { max_usd: maxUsd }),
  };
  return openConfiguredReader({ settings, root: path, tier: 'named', onNote: (note) => void tellNote(note) });
}

function formatSpent({ model, spent }: ConfiguredReader): string {
  const { calls, tokens, usd } = spent();
  const cost = usd === 0 ? '' : `, $${usd.toFixed(4)}`;
  return `Read by ${model}: ${calls} ${calls === 1 ? 'call' : 'calls'}, ${tokens} tokens${cost}.`;
}

/** Lists the citations that are not valid and the claims that are not supported. */
async function formatAnswer({ line, status, ...answer }: AnswerLine): Promise<readonly string[]> {
  const { plainLine, shortLine } = await import('../../../core/index.ts');
  if ('reason' in answer) return [plainLine(`line ${line} of the input bad line: ${answer.reason}`)];
  const { isSupported } = await import('../../../gate/index.ts');
  const shorten = (text: string): string => shortLine(text, 160);
  return [
    ...answer.citations.flatMap(({ status: citationStatus, reason }, index) =>
      citationStatus === 'valid'
        ? []
        : [
            plainLine(
              `line ${line}, citation ${index + 1} ${citationStatus === 'too_short' ? 'quote too short' : statusText[citationStatus]}: ${reason ?? ''}`,
            ),
          ],
    ),
    ...answer.claims.flatMap((claim) => {
      const flags = claim.flags.length === 0 ? '' : ` [${claim.flags.join(', ')}]`;
      return isSupported(claim) && claim.flags.length === 0
        ? []
        : [
            plainLine(
              `line ${line}: ${claim.verdict}: ${shorten(claim.text)}${claim.why === undefined ? '' : ` (${claim.why})`}${flags}`,
            ),
          ];
    }),
    ...(answer.note === undefined ? [] : [plainLine(`line ${line}: ${answer.note}`)]),
    `line ${line}: ${status}.`,
  ];
}

function formatClaimSummary(claimCounts: ReadonlyMap<ClaimVerdict, number>): string {
  const total = [...claimCounts.values()].reduce((sum, count) => sum + count, 0);
  const verdictCounts = [...claimCounts]
    .sort((a, b) => b[1] - a[1])
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${total} ${total === 1 ? 'claim' : 'claims'}: ${verdictCounts.join(', ')}.`;
}

async function formatCitation(result: VerifiedLine): Promise<string> {
  const { plainLine } = await import('../../../core/index.ts');
  const { line, path, start, end, status, found, reason, note } = result;
  const place = path === null ? `line ${line} of the input` : `${path}:${start}-${end}`;
  const foundText = found === undefined ? '' : ` It stands at ${path}:${found.start}-${found.end}.`;
  return plainLine(
    `${place} ${statusText[status]}: ${reason ?? ''}${foundText}${note === undefined ? '' : ` ${note}`}`,
  );
}

function formatCitationSummary(citationCounts: ReadonlyMap<VerifiedLine['status'], number>): string {
  const total = [...citationCounts.values()].reduce((sum, count) => sum + count, 0);
  const statusCounts = [...citationCounts]
    .filter(([status]) => status !== 'valid')
    .sort((a, b) => b[1] - a[1])
    .map(([status, count]) => `${count} ${statusText[status]}`);
  const validText = `${citationCounts.get('valid') ?? 0} of ${total} citations valid`;
  return statusCounts.length === 0 ? `${validText}.` : `${validText}; ${statusCounts.join(', ')}.`;
}

async function readInput(file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  if (file === '-') return (await readStandardInput()).toString('utf8');
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new SondeError('not_found', {
      message: `${file} cannot be read: ${(thrown as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
      remedy: 'Name a file of JSON lines, or - for standard input.',
      cause: thrown,
    });
  }
}
