/** One connection to Redis that can send nothing but the commands on a list. */
import type { Duplex } from 'node:stream';
import { SondeError } from '../../core/index.ts';
import type { Credential } from '../http.ts';
import { decodeReply, encodeCommand, maxReplyBytes, RespError, type RespValue } from './resp.ts';

/** Opens a stream of bytes to the server. The caller provides it, with or without TLS. */
export type Connect = (signal: AbortSignal) => Promise<Duplex>;

/**
 * All commands that can be sent, in upper case. `*` stands for one argument, a number or a section; `@` for the name of an
 * account.
 */
const allowedCommands: readonly (readonly string[])[] = [
  ['PING'],
  ['INFO', '*'],
  ['DBSIZE'],
  ['SLOWLOG', 'GET', '*'],
  ['CLIENT', 'LIST'],
  ['LATENCY', 'LATEST'],
  ['MEMORY', 'STATS'],
  ['TIME'],
  ['ACL', 'WHOAMI'],
  ['ACL', 'GETUSER', '@'],
];

const argumentForms: Readonly<Record<string, RegExp>> = { '*': /^[a-z0-9]{1,20}$/, '@': /^[\w.-]{1,64}$/ };

export interface RedisConnection {
  /** Resolves with a `RespError` if Redis replies with an error. Throws `bad_argument` for a command not on the list. */
  send(...words: readonly string[]): Promise<RespValue>;
  close(): void;
}

export async function openConnection(
  connect: Connect,
  login: { readonly user?: string | undefined; readonly password: Credential } | null,
  signal: AbortSignal,
): Promise<RedisConnection> {
  const stream = await connect(signal);
  let received: Buffer = Buffer.alloc(0);
  let pendingReply: PromiseWithResolvers<RespValue> | null = null;
  const fail = (thrown: Error): void => {
    pendingReply?.reject(thrown);
    pendingReply = null;
    stream.destroy();
  };
  stream.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    try {
      if (received.length > maxReplyBytes) throw new Error(`Redis sent more than ${maxReplyBytes} bytes.`);
      const reply = decodeReply(received);
      if (reply === null || pendingReply === null) return;
      received = received.subarray(reply.end);
      pendingReply.resolve(reply.value);
      pendingReply = null;
    } catch (thrown) {
      fail(thrown as Error);
    }
  });
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('the connection was closed')));
  signal.addEventListener('abort', () => fail(new Error('given up')), { once: true });

  const exchange = (words: readonly string[]): Promise<RespValue> => {
    pendingReply = Promise.withResolvers<RespValue>();
    stream.write(encodeCommand(words));
    return pendingReply.promise;
  };
  if (login !== null) {
    const words = login.user === undefined ? [] : [login.user];
    const reply = await exchange(['AUTH', ...words, login.password.reveal()]);
    if (reply instanceof RespError) {
      stream.destroy();
      throw reply;
    }
  }
  return {
    async send(...words) {
      if (!isAllowed(words))
        throw new SondeError('bad_argument', {
          message: `Redis is not asked ${words[0] ?? 'nothing'}.`,
          remedy: 'Ask by a command that reads, and is listed in isAllowed.',
        });
      return exchange(words);
    },
    close: () => void stream.destroy(),
  };
}

export function isAllowed(words: readonly string[]): boolean {
  return allowedCommands.some(
    (command) =>
      command.length === words.length &&
      command.every((word, index) =>
        word in argumentForms ? argumentForms[word]!.test(words[index]!) : word === words[index]!,
      ),
  );
}
