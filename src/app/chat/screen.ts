/**
 * The output of a conversation. Answers go to standard output, everything else to standard error. With JSON, every
 * event is a line of standard output, and nothing else is printed.
 */
import { formatCount, isRefused, plainLine, shortLine, toPlainText } from '../../core/index.ts';
import type { AgentEvent } from '../agent/channel/channel.ts';
import { safeJson } from '../safe-json.ts';

export interface Screen {
  event(thread: string, event: AgentEvent): void;
  /** Prints a note. With JSON it prints nothing. */
  note(text: string): void;
  /** Prints the output of a command. */
  show(text: string): void;
  /** Prints a refusal by the agent or the program. */
  problem(code: string, message: string, remedy?: string): void;
}

export interface Streams {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
  /** True: the output is a terminal, so lines can be rewritten and colours used. */
  readonly terminal: boolean;
}

export function jsonScreen({ out }: Pick<Streams, 'out'>): Screen {
  const writeLine = (value: unknown): void => void out.write(`${safeJson(value)}\n`);
  return {
    event: (thread_id, event) => writeLine({ thread_id, event }),
    note: () => {},
    show: (text) => writeLine({ shown: text }),
    problem: (code, message, remedy) => writeLine({ error: { code, message, remedy: remedy ?? null } }),
  };
}

/** The width assumed for a terminal that does not report its own. */
const defaultColumns = 80;

/**
 * The progress line: the number of running calls, the first of them, and the cost so far. It is one line, since a
 * terminal rewrites only one.
 */
function progressText(runningCalls: readonly string[], tokens: number, width: number): string {
  const [first = ''] = runningCalls;
  const head = runningCalls.length > 1 ? `  … ${runningCalls.length} at work: ` : '  … ';
  const tail = tokens === 0 ? '' : ` · ${formatNumber(tokens)} tokens`;
  return `${head}${shortLine(plainLine(first), Math.max(8, width - head.length - tail.length))}${tail}`;
}

export function textScreen({ out, err, terminal }: Streams): Screen {
  const columns = (): number | undefined => (err as Partial<NodeJS.WriteStream>).columns;
  const dim = (text: string): string => (terminal ? `\u001b[2m${text}\u001b[22m` : text);
  const runningCalls = new Map<string, string>();
  let streamedText = '';
  let isMidLine = false;
  let hasProgressLine = false;
  let tokens = 0;

  /** Ends the line of the answer, and clears the progress line. */
  function startLine(): void {
    if (hasProgressLine) err.write('\r\u001b[K');
    hasProgressLine = false;
    if (isMidLine) out.write('\n');
    isMidLine = false;
  }
  function showProgress(): void {
    if (!terminal || runningCalls.size === 0) return;
    if (isMidLine) out.write('\n');
    isMidLine = false;
    err.write(
      `\r${dim(progressText([...runningCalls.values()], tokens, (columns() ?? defaultColumns) - 1))}\u001b[K`,
    );
    hasProgressLine = true;
  }
  function writeAnswer(text: string): void {
    if (hasProgressLine) startLine();
    out.write(text);
    isMidLine = !text.endsWith('\n');
  }
  const note = (text: string): void => {
    startLine();
    err.write(`${dim(toPlainText(text))}\n`);
  };

  function showEnd(event: Extract<AgentEvent, { kind: 'turn_ended' }>): void {
    const { status: turnStatus, text, questions } = event;
    runningCalls.clear();
    if (turnStatus === 'answered') {
      const answer = toPlainText(text).trim();
      // An answer that was streamed is not printed again, unless it was corrected.
      if (!streamedText.trim().endsWith(answer)) {
        startLine();
        writeAnswer(answer);
      }
    }
    startLine();
    if (turnStatus === 'answered') for (const line of formatUnconfirmed(event)) note(line);
    if (turnStatus === 'interrupted') for (const { value } of questions) note(`? ${questionText(value)}`);
    if (turnStatus === 'cancelled')
      note('Cancelled. /continue continues from there; a message begins the next turn.');
    if (turnStatus === 'exhausted') note(text);
    if (turnStatus === 'failed')
      note(`The turn failed: ${text}\n/continue tries again from there; a message begins the next turn.`);
    streamedText = '';
  }

  return {
    event(_thread, event) {
      switch (event.kind) {
        case 'turn_started':
          streamedText = '';
          tokens = 0;
          return;
        case 'text': {
          const piece = toPlainText(event.piece);
          streamedText += piece;
          return writeAnswer(piece);
        }
        case 'tool_started':
          runningCalls.set(event.call, `${event.name} ${event.about}`.trim());
          return showProgress();
        case 'tool_finished': {
          const { call, name, ok, note: result, write_id } = event;
          const callText = runningCalls.get(call) ?? name;
          runningCalls.delete(call);
          const id = write_id === null ? '' : ` ${write_id}`;
          note(
            `  ${ok ? '✓' : '✗'} ${plainLine(callText)}${result === '' ? '' : ` · ${plainLine(result)}`}${id}`,
          );
          return showProgress();
        }
        case 'steered':
          return note(`  ↳ received: ${shortLine(plainLine(event.text), 80)}`);
        case 'budget':
          tokens = event.spent.tokens ?? 0;
          // Redraws the progress line with the new cost; not while the user is typing.
          if (hasProgressLine) showProgress();
          return;
        case 'turn_ended':
          return showEnd(event);
      }
    },
    note,
    show(text) {
      startLine();
      out.write(`${toPlainText(text)}\n`);
    },
    problem(_code, message, remedy) {
      note(remedy === undefined ? message : `${message}\n${remedy}`);
    },
  };
}

/** Maximum number of unconfirmed claims to print. */
const maxRefused = 3;

/** Claims of the turn that were not confirmed, and why; nothing if all were. */
function formatUnconfirmed({
  run_id,
  claims = [],
}: Extract<AgentEvent, { kind: 'turn_ended' }>): readonly string[] {
  const refusedClaims = claims.filter(isRefused);
  const lines = refusedClaims
    .slice(0, maxRefused)
    .map(({ verdict, text, why = '' }) =>
      `  ${verdict}: ${shortLine(plainLine(text), 120)} ${plainLine(why)}`.trimEnd(),
    );
  return refusedClaims.length === 0 || run_id === null ? [] : [...lines, `  sonde show ${run_id} --claims`];
}

/** The text of a question that interrupted a turn. */
export function questionText(value: unknown): string {
  const question = (value as { question?: unknown } | null)?.question;
  return toPlainText(typeof question === 'string' ? question : JSON.stringify(value));
}

const formatNumber = (amount: number): string => Math.round(amount).toLocaleString('en-US');

/** `1,234 of 200,000 tokens, $0.02 of $1` */
export function budgetText({ spent, limits }: Omit<Extract<AgentEvent, { kind: 'budget' }>, 'kind'>): string {
  const formatLimit = (limit: number | undefined, format: (amount: number) => string) =>
    limit === undefined ? '' : ` of ${format(limit)}`;
  const money = (amount: number): string => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
  const { tokens = 0, usd = 0, calls = 0 } = spent;
  return [
    `${formatNumber(tokens)}${formatLimit(limits.tokens, formatNumber)} tokens`,
    `${money(usd)}${formatLimit(limits.usd, money)}`,
    formatCount(calls, 'model call'),
  ].join(', ');
}
