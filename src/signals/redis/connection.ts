/** One connection to Redis that can send nothing but the commands on a list. */
import type { Duplex } from 'node:stream';
import { SondeError } from '../../core/index.ts';
import type { Credential } from '../http.ts';
import { decodeReply, encodeCommand, maxReply, RespError, type RespValue } from './resp.ts';

/** Opens a stream of bytes to the server; the caller knows sockets and TLS. */
export type Connect = (signal: AbortSignal) => Promise<Duplex>;

/** Everything that can be sent. Words are compared in upper case; `*` is one argument of digits or a section, `@` the name of an account. */
const allowed: readonly (readonly string[])[] = [
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
  /** A `RespError` is a value: it is what Redis said. Throws `bad_argument` for a command that is not on the list. */
  send(...words: readonly string[]): Promise<RespValue>;
  close(): void;
}

export async function openConnection(
  connect: Connect,
  login: { readonly user?: string | undefined; readonly password: Credential } | null,
  signal: AbortSignal,
): Promise<RedisConnection> {
  const stream = await connect(signal);
  let held: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<RespValue> | null = null;
  const fail = (thrown: Error): void => {
    waiting?.reject(thrown);
    waiting = null;
    stream.destroy();
  };
  stream.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    try {
      if (held.length > maxReply) throw new Error(`Redis sent more than ${maxReply} bytes.`);
      const reply = decodeReply(held);
      if (reply === null || waiting === null) return;
      held = held.subarray(reply.end);
      waiting.resolve(reply.value);
      waiting = null;
    } catch (thrown) {
      fail(thrown as Error);
    }
  });
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('the connection was closed')));
  signal.addEventListener('abort', () => fail(new Error('given up')), { once: true });

  const exchange = (words: readonly string[]): Promise<RespValue> => {
    waiting = Promise.withResolvers<RespValue>();
    stream.write(encodeCommand(words));
    return waiting.promise;
  };
  if (login !== null) {
    const words = login.user === undefined ? [] : [login.user];
    const said = await exchange(['AUTH', ...words, login.password.reveal()]);
    if (said instanceof RespError) {
      stream.destroy();
      throw said;
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
  return allowed.some(
    (form) =>
      form.length === words.length &&
      form.every((word, k) =>
        word in argumentForms ? argumentForms[word]!.test(words[k]!) : word === words[k]!,
      ),
  );
}
