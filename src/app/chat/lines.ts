/** The input of a person or a pipe, line by line. */
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
  terminal: boolean,
): Lines {
  const reader = createInterface({ input, ...(terminal && { output }), terminal });
  const waiting: string[] = [];
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
    } else if (!terminal || !asideListener(fullLine)) waiting.push(fullLine);
  });
  reader.on('close', () => {
    hasEnded = true;
    waitingReader?.(null);
  });
  return {
    next(prompt) {
      const queued = waiting.shift();
      if (queued !== undefined) return Promise.resolve(queued);
      if (hasEnded) return Promise.resolve(null);
      if (terminal) {
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
