/** Reads the input of a terminal or a pipe line by line. */
import { createInterface } from 'node:readline';

export interface Lines {
  /** The next line; null at the end of the input. A line that ends with \ continues in the next. */
  next(prompt: string): Promise<string | null>;
  /** Called with a line that arrives while no `next` waits. The listener returns true if it handled the line. */
  onAside(listener: (line: string) => boolean): void;
  /** Calls the listener on Ctrl-C at a terminal. */
  onInterrupt(listener: () => void): void;
  close(): void;
}

export function openLines(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  isTerminal: boolean,
): Lines {
  const reader = createInterface({ input, ...(isTerminal && { output }), terminal: isTerminal });
  const waitingLines: string[] = [];
  let waitingReader: ((line: string | null) => void) | undefined;
  let hasEnded = false;
  let asideListener: (line: string) => boolean = () => false;
  let partialLine = '';
  reader.on('line', (line) => {
    if (line.endsWith('\\')) {
      partialLine += `${line.slice(0, -1)}\n`;
      return;
    }
    const fullLine = partialLine + line;
    partialLine = '';
    if (waitingReader !== undefined) {
      const resolve = waitingReader;
      waitingReader = undefined;
      resolve(fullLine);
    } else if (!isTerminal || !asideListener(fullLine)) waitingLines.push(fullLine);
  });
  reader.on('close', () => {
    hasEnded = true;
    waitingReader?.(null);
  });
  return {
    next(prompt) {
      const nextLine = waitingLines.shift();
      if (nextLine !== undefined) return Promise.resolve(nextLine);
      if (hasEnded) return Promise.resolve(null);
      if (isTerminal) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      return new Promise((resolve) => {
        waitingReader = resolve;
      });
    },
    onAside(listener) {
      asideListener = listener;
    },
    onInterrupt(listener) {
      reader.on('SIGINT', listener);
    },
    close: () => reader.close(),
  };
}
