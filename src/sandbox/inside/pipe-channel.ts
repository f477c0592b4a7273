import { readSync, writeSync } from 'node:fs';
import { FrameReader, frame } from './frames.ts';
import type { Channel } from './protocol.ts';

/** Size of the reused buffers. Most messages are smaller, so that only their content is allocated. */
const bufferBytes = 64 * 1024;

/** A channel over a pipe to the host's process. Reading blocks, since a worker has nothing else to do. */
export function pipeChannel(descriptor: number): Channel {
  const reader = new FrameReader(Number.POSITIVE_INFINITY);
  const incoming = Buffer.allocUnsafeSlow(bufferBytes);
  const outgoing = Buffer.allocUnsafeSlow(bufferBytes);
  return {
    send: (kind, text, bytes) => {
      const whole = frame(kind, text, bytes, outgoing);
      for (let sent = 0; sent < whole.length; ) sent += writeSync(descriptor, whole, sent);
    },
    receive: () => {
      for (;;) {
        const message = reader.next();
        if (message) return message;
        const length = readSync(descriptor, incoming);
        if (length === 0) return null;
        // Copied, since the message is a view of these bytes and may be kept.
        reader.push(Buffer.from(incoming.subarray(0, length)));
      }
    },
  };
}
