import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type Channel, type Message, signalWord } from './protocol.ts';

/**
 * A channel to a host in the same process. The host increments `signals[mail]` after each message. The count is read
 * before the port is checked, so that a message that comes in between ends the wait at once.
 */
export function portChannel(port: MessagePort, signals: Int32Array): Channel {
  return {
    send: (kind, text, bytes) => {
      // Copied, since posting a view would send its whole buffer.
      const copy = bytes.slice();
      port.postMessage({ kind, text, bytes: copy } satisfies Message, [copy.buffer]);
    },
    receive: () => {
      for (;;) {
        const seen = Atomics.load(signals, signalWord.mail);
        const received = receiveMessageOnPort(port);
        if (received) return received.message as Message;
        Atomics.wait(signals, signalWord.mail, seen);
      }
    },
  };
}
