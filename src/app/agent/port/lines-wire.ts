/** Sends and receives messages over a socket, one line of JSON for each. */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { maxLine } from './port.ts';

/** Maximum unread characters of a slow reader. If there are more, its connection is closed. */
const maxUnread = 16_000_000;

/** Sends one line of JSON. False if the socket is closed. */
export function sendLine(socket: Socket, value: unknown): boolean {
  if (socket.destroyed || !socket.writable) return false;
  socket.write(`${JSON.stringify(value)}\n`);
  if (socket.writableLength > maxUnread) socket.destroy();
  return true;
}

/** Calls `listener` with each line's value; undefined: it is not JSON. A line over `maxLine` ends the connection. */
export function onJsonLine(socket: Socket, listener: (value: unknown) => void): void {
  const decoder = new StringDecoder('utf8');
  let incompleteLine = '';
  socket.on('data', (bytes: Buffer) => {
    const lines = (incompleteLine + decoder.write(bytes)).split('\n');
    incompleteLine = lines.pop() ?? '';
    if (incompleteLine.length > maxLine) socket.destroy();
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
