import { failureText } from './json-lines.ts';
import type { CellResult, Session } from './sandbox.ts';

/** The input and output of a console. `ask` shows a prompt; null is the end of input. */
export interface ConsoleTerminal {
  ask(prompt: string): Promise<string | null>;
  print(text: string): Promise<void>;
  printError(text: string): Promise<void>;
}

/** Python's messages for incomplete code. */
const incompleteCode =
  /was never closed|unterminated triple-quoted|expected an indented block|unexpected EOF/;

/** Reads, runs and prints cells until the input ends. A block ends with an empty line, as in Python's own. */
export async function runConsole(session: Session, terminal: ConsoleTerminal): Promise<void> {
  let lines: string[] = [];
  for (;;) {
    const line = await terminal.ask(lines.length === 0 ? '>>> ' : '... ');
    if (line === null) return;
    if (lines.length === 0 && line.trim() === '') continue;
    lines.push(line);
    if (line !== '' && isBlock(lines)) continue;
    const result = await session.execute(lines.join('\n'));
    if (line !== '' && isUnfinished(result)) continue;
    lines = [];
    await printResult(result, terminal);
  }
}

/** Whether more lines may follow: after a compound statement, a decorator or a continued line. */
function isBlock(lines: readonly string[]): boolean {
  return /[:\\]\s*(#.*)?$/.test(lines[0]!) || /^\s*@/.test(lines[0]!) || lines.at(-1)!.endsWith('\\');
}

function isUnfinished(result: CellResult): boolean {
  return (
    result.kind === 'error' &&
    result.error.type.endsWith('Error') &&
    incompleteCode.test(result.error.message)
  );
}

export async function printResult(result: CellResult, terminal: Omit<ConsoleTerminal, 'ask'>): Promise<void> {
  if (result.stdout.text !== '') await terminal.print(result.stdout.text);
  if (result.kind === 'ok' && result.value) await terminal.print(`${result.value.repr}\n`);
  const errors = result.stderr.text + failureText(result);
  if (errors !== '') await terminal.printError(errors);
}
