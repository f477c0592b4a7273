import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { ServerConnection } from './connection.ts';
import { profiles } from './profiles.ts';

test('a server that sent too much is gone although its pipe is still full', async () => {
  const output = Readable.from(Array.from({ length: 400 }, () => Buffer.alloc(65_536, 'x')));
  const ended = Promise.withResolvers<string>();
  const input = new PassThrough();
  input.resume();
  // As of a real process: its end is told when its pipe was read to the end.
  const gone = Promise.all([ended.promise, once(output, 'end')]).then(([reason]) => reason);
  const guarded = { input, output, gone, end: (reason?: string) => ended.resolve(reason ?? '') };
  const limits = { bytes: 1_000_000, documents: 1, askMs: 60_000 };
  const connection = new ServerConnection('/nowhere', guarded, profiles.python, {}, limits);
  expect(await connection.ask('any', {})).toEqual({
    kind: 'none',
    why: 'it sent more than 1000000 bytes',
    isGone: true,
  });
});

test('a server that reads no more has ended, and sent no nonsense', async () => {
  const output = new PassThrough();
  const input = new Writable({
    write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const ended = Promise.withResolvers<string>();
  const guarded = {
    input,
    output,
    gone: ended.promise,
    end: (reason?: string) => ended.resolve(reason ?? 'it ended'),
  };
  const limits = { bytes: 1_000_000, documents: 1, askMs: 60_000 };
  const connection = new ServerConnection('/nowhere', guarded, profiles.python, {}, limits);
  expect(await connection.ask('any', {})).toEqual({ kind: 'none', why: 'it ended', isGone: true });
});
