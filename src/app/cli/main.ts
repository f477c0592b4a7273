/**
 * Entry of the command line: parses the arguments, runs one command, and converts a thrown error to a message and an
 * exit code.
 */
import { CommanderError } from 'commander';
import { type ErrorCode, messageOf, plainLine, SondeError, toSystemError } from '../../core/index.ts';
import { currentProcess } from '../current-process.ts';
import { exitCodeOfError } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { acceptClosedPipes, printJson, tell } from './terminal.ts';

/** Whether this process runs the TypeScript sources directly, without a type check. */
const runsFromSource = import.meta.url.endsWith('.ts');

/** Converts an error of the commander library, such as an unknown option. */
function convertCommanderError(error: CommanderError): SondeError {
  return new SondeError('bad_argument', {
    message: error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '),
    remedy: 'Run sonde --help, or sonde COMMAND --help.',
  });
}

function toSondeError(thrown: unknown): SondeError {
  if (thrown instanceof SondeError) return thrown;
  if (thrown instanceof CommanderError) return convertCommanderError(thrown);
  return (
    toSystemError(thrown) ??
    new SondeError('internal', {
      message: messageOf(thrown),
      remedy:
        runsFromSource && thrown instanceof TypeError
          ? 'If the code was changed, npm run types may name the mistake. SONDE_DEBUG=1 shows the stack trace.'
          : 'This is a bug in Sonde. Run again with SONDE_DEBUG=1 for the stack trace, and report it.',
      cause: thrown,
    })
  );
}

export interface ReportedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string | null;
  /** Only for `detailedCodes`. For `stale`: the state that was shown, the current state, and their difference. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The arguments before `--`: only these can be flags. */
const wordsBeforeDashes = (argv: readonly string[]): readonly string[] => {
  const dashes = argv.indexOf('--');
  return dashes < 0 ? argv : argv.slice(0, dashes);
};

/** Codes whose details are printed: the difference of the shown and the current state, or the names that match. */
const detailedCodes: ReadonlySet<string> = new Set(['stale', 'conflict', 'ambiguous']);

const indent = (text: string): string => text.replace(/^/gm, '    ');

function redactDetails(
  details: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(details), (_, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
}

export async function main(argv: readonly string[]): Promise<void> {
  acceptClosedPipes();
  try {
    const program = await createProgram(argv);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return;
    const error = toSondeError(thrown);
    currentProcess().exitCode = exitCodeOfError(error.code);
    const { wantsDebug, processEnvironment, environmentRedactor } = await import('../config/index.ts');
    const environment = processEnvironment();
    const redact = environmentRedactor(environment);
    const reportedError: ReportedError = {
      code: error.code,
      message: redact(error.message),
      remedy: error.remedy === undefined ? null : redact(error.remedy),
      ...(detailedCodes.has(error.code) && { details: redactDetails(error.details, redact) }),
    };
    if (wordsBeforeDashes(argv).includes('--json')) await printJson({ error: reportedError });
    // Message and remedy take one line each: a file name with line breaks in a message could look like a result.
    else {
      const { diff } = reportedError.details ?? {};
      const lines = [
        `sonde: ${reportedError.message}`,
        ...(reportedError.remedy === null ? [] : [reportedError.remedy]),
      ];
      await tell([...lines.map(plainLine), ...(typeof diff === 'string' ? [indent(diff)] : [])].join('\n'));
    }
    // Only unexpected errors need a stack trace.
    if ((error.code === 'internal' || error !== thrown) && wantsDebug(environment) && thrown instanceof Error)
      await tell(redact(thrown.stack ?? ''));
  }
}
