import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Caller, createEvidence, masker, type Tool, toolFailure, toolReply } from '../core/index.ts';
import { capabilitySet } from './capability-sets.ts';
import { openToolHost } from './open-host.ts';
import { createCall } from './testbed/plain-tools.ts';

const secret = `ghp_${'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo'}`;
const mask = masker({ key: Buffer.from('one home'), known: [] });
const tool = (name: string, run: Tool['run']): Tool => ({
  name,
  description: 'Says what it holds. For this test.',
  parameters: z.object({}),
  capability: null,
  effect: 'read',
  derivation: 'none',
  cost: 'nothing',
  run,
});
const span = createEvidence({
  file_path: 'a.txt',
  start_line: 1,
  end_line: 1,
  content: `token ${secret}`,
  reason: 'test',
  provenance: 'manual',
});
const host = openToolHost({
  tools: [
    tool('say_it', async () =>
      toolReply(`it is ${secret}`, { rows: [{ held: secret, n: 1 }] }, { evidence: [span], notes: [secret] }),
    ),
    tool('refuse_it', async () =>
      toolFailure('tool', `no ${secret}`, { remedy: secret, details: { secret } }),
    ),
    tool('break_it', async () => {
      throw new Error(`broken by ${secret}`);
    }),
  ],
  mask,
  redact: mask.system,
});
const call = (name: string, kind: Caller['kind']) => {
  const caller: Caller = { kind, name: 'x', device: 'here', thread: null, channel: null };
  return host.callTool(name, {}, createCall({ caller, capabilities: capabilitySet('owner') }));
};

test.each(['agent', 'external', 'schedule'] as const)('to %s no result shows a secret', async (kind) => {
  for (const name of ['say_it', 'refuse_it', 'break_it']) {
    const result = JSON.stringify(await call(name, kind));
    expect(result).not.toContain(secret);
    expect(result).toContain(mask.text(secret));
  }
  // Evidence keeps the hash of what truly stands there.
  const told = await call('say_it', kind);
  expect(told.ok && told.evidence[0]!.hash).toBe(span.hash);
});

test('the author in person is shown his own as it is', async () => {
  expect(JSON.stringify(await call('say_it', 'user'))).toContain(secret);
});
