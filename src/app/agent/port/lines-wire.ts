/** A stream as a wire: one line of JSON for each message. */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { maxLine } from './port.ts';

/** Characters that a slow reader may leave unread before it is cut off. */
const maxUnread = 16_000_000;

/** Sends one line of JSON. False if the socket is closed. */
export function sendLine(socket: Socket, value: unknown): boolean {
  if (socket.destroyed || !socket.writable) return false;
  socket.write(`${JSON.stringify(value)}\n`);
  if (socket.writableLength > maxUnread) socket.destroy();
  return true;
}

/** Calls `listener` for each line; with undefined for a line that is not JSON. A line that is too long ends the stream. */
export function onJsonLine(socket: Socket, listener: (value: unknown) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  socket.on('data', (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLine) socket.destroy();
    for (const line of lines) if (!socket.destroyed) listener(parseLine(line));
  });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
