import { readSync, writeSync } from 'node:fs';
import { FrameReader, frame } from './frames.ts';
import type { Channel } from './protocol.ts';

/** A channel over a pipe to the host's process. Reading blocks, which is what a worker wants. */
export function pipeChannel(descriptor: number): Channel {
  const reader = new FrameReader(Number.POSITIVE_INFINITY);
  const buffer = Buffer.allocUnsafe(64 * 1024);
  return {
    send: (kind, bytes) => {
      const whole = frame(kind, bytes);
      for (let sent = 0; sent < whole.length; ) sent += writeSync(descriptor, whole, sent);
    },
    receive: () => {
      for (;;) {
        const message = reader.next();
        if (message) return message;
        const length = readSync(descriptor, buffer);
        if (length === 0) return null;
        reader.push(Buffer.from(buffer.subarray(0, length)));
      }
    },
  };
}
