import { expect, it } from 'vitest';
import { SondeError } from '../../../core/index.ts';
import { failureReply, okReply } from '../replies.ts';
import type { AgentMessage } from './channel.ts';
import { agentClient } from './channel-client.ts';
import { memoryWires } from './memory-wire.ts';

it('a turn that the agent accepted and left ends with the reply that says so', async () => {
  const [here, there] = memoryWires();
  const client = agentClient(here);
  const away = new SondeError('store_away', { message: 'The store does not answer' });
  there.onMessage((message) => {
    const { id } = message as AgentMessage;
    there.send(okReply(id, 'started', { thread_id: 't' }));
    there.send(failureReply(id, away, (text) => text));
  });
  const end = await client.turn({ type: 'start_run', thread_id: 't', message_id: 'm', prompt: 'x' });
  expect(end).toMatchObject({ type: 'reply', status: 'error', error_code: 'store_away' });
});
