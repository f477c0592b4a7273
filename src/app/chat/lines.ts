/** The input of a person or a pipe, line by line. */
import { createInterface } from 'node:readline';

export interface Lines {
  /** The next line; null at the end of the input. A line that ends with \ continues in the next. */
  next(prompt: string): Promise<string | null>;
  /** Called with a line that comes while nobody waits for one. True: the listener took it. */
  onAside(listener: (line: string) => boolean): void;
  /** Ctrl-C at a terminal. */
  onInterrupt(listener: () => void): void;
  close(): void;
}

export function linesFrom(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  terminal: boolean,
): Lines {
  const reader = createInterface({ input, ...(terminal && { output }), terminal });
  const waiting: string[] = [];
  let wanted: ((line: string | null) => void) | undefined;
  let over = false;
  let aside: (line: string) => boolean = () => false;
  let begun = '';
  reader.on('line', (line) => {
    if (line.endsWith('\\')) {
      begun += `${line.slice(0, -1)}\n`;
      return;
    }
    const whole = begun + line;
    begun = '';
    if (wanted !== undefined) {
      const give = wanted;
      wanted = undefined;
      give(whole);
    } else if (!terminal || !aside(whole)) waiting.push(whole);
  });
  reader.on('close', () => {
    over = true;
    wanted?.(null);
  });
  return {
    next(prompt) {
      const held = waiting.shift();
      if (held !== undefined) return Promise.resolve(held);
      if (over) return Promise.resolve(null);
      if (terminal) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      return new Promise((give) => {
        wanted = give;
      });
    },
    onAside(listener) {
      aside = listener;
    },
    onInterrupt(listener) {
      reader.on('SIGINT', listener);
    },
    close: () => reader.close(),
  };
}
