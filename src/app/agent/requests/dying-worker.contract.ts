/**
 * An agent for tests of the request queue. It echoes each message. On `poison` it kills itself, as if by a fault. On
 * `climb N FILE` it increments the number in the file and kills itself, until the number is N.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AgentMessage } from '../channel/channel.ts';
import { parentWire } from '../channel/child-wire.ts';
import { okReply } from '../replies.ts';

function countAndDie(top: number, file: string): void {
  const at = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (at >= top) return;
  writeFileSync(`${file}.new`, String(at + 1));
  renameSync(`${file}.new`, file);
  process.kill(process.pid, 'SIGKILL');
}

if (process.connected) {
  const wire = parentWire();
  wire.onMessage((value) => {
    const message = value as AgentMessage;
    if (message.type === 'lifecycle') {
      process.send?.(okReply(message.id, 'there', {}), undefined, undefined, () => {
        if (message.command === 'shutdown') process.exit(0);
      });
      return;
    }
    if (message.type !== 'start_run') return;
    const { id, thread_id, prompt: text } = message;
    if (text.includes('poison')) process.kill(process.pid, 'SIGKILL');
    const [, top, file] = /^climb (\d+) (\S+)$/.exec(text) ?? [];
    if (file !== undefined) countAndDie(Number(top), file);
    wire.send(okReply(id, 'started', { thread_id }));
    const event = { kind: 'turn_ended', run_id: null, status: 'answered', text, questions: [] };
    wire.send({ type: 'event', thread_id, request: id, event });
  });
  wire.send({ type: 'lifecycle', state: 'ready', message: '' });
}
