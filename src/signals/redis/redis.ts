/** The statistics of Redis. Only the commands of a fixed list (in `connection.ts`) can be sent. */
import { z } from 'zod';
import { type Clock, messageOf, type Signal, type SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Credential, withoutCredentials } from '../http.ts';
import { failure, question } from '../question.ts';
import { type Connect, openConnection, type RedisConnection } from './connection.ts';
import { RespError, type RespValue } from './resp.ts';
import { inspectRedis } from './rights.ts';

export interface RedisOptions {
  readonly connect: Connect;
  /** Shown in messages, without a password: `127.0.0.1:6379`. */
  readonly address: string;
  readonly clock: Clock;
  readonly login?: { readonly user?: string; readonly password: Credential };
}

const stateOfNowNote = 'This is the state of now, not of the incident window.';

export function openRedis({ connect, address, clock, login }: RedisOptions): Signal {
  const source = `redis ${address}`;
  const place = { system: 'redis', source, clock };

  const withConnection = async <Value>(
    signal: AbortSignal,
    action: (redis: RedisConnection) => Promise<Value>,
  ): Promise<Value | SignalFailure> => {
    let redis: RedisConnection | null = null;
    try {
      redis = await openConnection(connect, login ?? null, signal);
      return await action(redis);
    } catch (thrown) {
      const message = withoutCredentials(messageOf(thrown), login === undefined ? [] : [login.password]);
      const isRefused =
        thrown instanceof RespError && /^(NOAUTH|NOPERM|WRONGPASS|ERR (invalid password|AUTH))/.test(message);
      return failure(
        isRefused
          ? 'refused'
          : thrown instanceof RespError
            ? 'bad_query'
            : /does not speak|cannot be|without/.test(message)
              ? 'bad_reply'
              : 'unreachable',
        `${source}: ${message}`,
      );
    } finally {
      redis?.close();
    }
  };
  const sendCommand = async (redis: RedisConnection, ...words: readonly string[]): Promise<RespValue> => {
    const reply = await redis.send(...words);
    if (reply instanceof RespError) throw reply;
    return reply;
  };

  return Object.freeze({
    system: place.system,
    source,
    offers: 'memory, clients, slow commands and latency, as they are now',
    questions: Object.freeze([
      question(place, {
        name: 'redis_info',
        topic: 'database',
        description: 'INFO: version, memory, clients, hits and misses, evictions, persistence, replication.',
        parameters: z.object({
          section: z
            .enum([
              'server',
              'clients',
              'memory',
              'persistence',
              'stats',
              'replication',
              'cpu',
              'commandstats',
              'errorstats',
              'keyspace',
            ])
            .optional(),
        }),
        cost: 'instant',
        reach: 'now',
        read: async ({ section }, { signal }) =>
          withConnection(signal, async (redis) => ({
            kind: 'reading',
            query: `INFO ${section ?? 'default'}`,
            rows: {
              kind: 'table',
              rows: infoRows(String(await sendCommand(redis, 'INFO', section ?? 'default'))),
            },
            notes: [stateOfNowNote],
          })),
      }),
      question(place, {
        name: 'redis_slowlog',
        topic: 'database',
        description: 'The slow commands of the incident and of the calm before it, with how long each took.',
        parameters: z.object({}),
        cost: 'instant',
        reach: 'now',
        read: async (_, { window, limits, signal }) =>
          withConnection(signal, async (redis) => {
            const maxEntries = limits.rows + 1;
            const entries = listOf(await sendCommand(redis, 'SLOWLOG', 'GET', String(maxEntries))).map(
              slowCommand,
            );
            const rows = entries.filter(
              ({ at }) => Date.parse(at) >= window.baseline_from && Date.parse(at) < window.to,
            );
            return {
              kind: 'reading',
              query: `SLOWLOG GET ${maxEntries}`,
              rows: { kind: 'table', rows },
              ...(entries.length === maxEntries && { total: null }),
            };
          }),
      }),
      question(place, {
        name: 'redis_clients',
        topic: 'database',
        description:
          'Who is connected now, since when, idle for how long, with which last command and how much buffered.',
        parameters: z.object({}),
        cost: 'instant',
        reach: 'now',
        read: async (_, { limits, signal }) =>
          withConnection(signal, async (redis) => {
            const rows = String(await sendCommand(redis, 'CLIENT', 'LIST'))
              .split('\n')
              .filter((line) => line !== '')
              .map(clientFields);
            return {
              kind: 'reading',
              query: 'CLIENT LIST',
              rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
              total: rows.length,
              notes: [stateOfNowNote],
            };
          }),
      }),
      question(place, {
        name: 'redis_latency',
        topic: 'database',
        description:
          'Spikes of latency that Redis itself noted, by what caused them (needs latency-monitor-threshold).',
        parameters: z.object({}),
        cost: 'instant',
        reach: 'now',
        read: async (_, { signal }) =>
          withConnection(signal, async (redis) => ({
            kind: 'reading',
            query: 'LATENCY LATEST',
            rows: {
              kind: 'table',
              rows: listOf(await sendCommand(redis, 'LATENCY', 'LATEST')).map((entry) => {
                const [event, seconds, latest, max] = listOf(entry);
                return { event, at: isoTimeOf(Number(seconds)), latest_ms: latest, most_ms: max };
              }),
            },
            notes: [stateOfNowNote],
          })),
      }),
      question(place, {
        name: 'redis_memory',
        topic: 'database',
        description:
          'Where the memory goes: data set, overhead, fragmentation, clients; and how many keys there are.',
        parameters: z.object({}),
        cost: 'instant',
        reach: 'now',
        read: async (_, { signal }) =>
          withConnection(signal, async (redis) => {
            const stats = listOf(await sendCommand(redis, 'MEMORY', 'STATS'));
            const rows = [{ name: 'keys', value: await sendCommand(redis, 'DBSIZE') }];
            for (let k = 0; k + 1 < stats.length; k += 2)
              if (typeof stats[k + 1] !== 'object')
                rows.push({ name: String(stats[k]), value: stats[k + 1]! });
            return {
              kind: 'reading',
              query: 'MEMORY STATS, DBSIZE',
              rows: { kind: 'table', rows },
              notes: [stateOfNowNote],
            };
          }),
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) =>
          withConnection(healthSignal, async (redis) => {
            const info = infoRows(String(await sendCommand(redis, 'INFO', 'server')));
            const version = info.find(({ name }) => name === 'redis_version')?.value;
            return { kind: 'healthy', version: version ?? null } as const;
          }),
        signal,
        mask,
      ),
    async inspect(signal) {
      const inspection = await withConnection(signal, (redis) => inspectRedis(redis, clock.now()));
      return 'rights' in inspection ? inspection : { rights: 'unknown', clockMs: null };
    },
    close: async () => {},
  } satisfies Signal);
}

function infoRows(
  text: string,
): readonly { readonly section: string; readonly name: string; readonly value: string }[] {
  let section = '';
  return text.split('\r\n').flatMap((line) => {
    if (line.startsWith('#')) section = line.slice(2).toLowerCase();
    const colon = line.indexOf(':');
    return line.startsWith('#') || colon < 0
      ? []
      : [{ section, name: line.slice(0, colon), value: line.slice(colon + 1) }];
  });
}

function slowCommand(entry: RespValue): {
  readonly at: string;
  readonly took_us: RespValue;
  readonly command: string;
  readonly client: string;
} {
  const [, seconds, micros = null, words = null, client = null, name = null] = listOf(entry);
  const command = listOf(words).map(String).join(' ');
  return {
    at: isoTimeOf(Number(seconds)),
    took_us: micros,
    command: command.length > 300 ? `${command.slice(0, 299)}…` : command,
    client: [client, name].filter((part) => typeof part === 'string' && part !== '').join(' '),
  };
}

/** Parses a line of `CLIENT LIST`, `id=3 addr=127.0.0.1:1 cmd=client|list`, and returns the fields that are shown. */
function clientFields(line: string): Readonly<Record<string, string>> {
  const shownFields = new Set([
    'id',
    'addr',
    'name',
    'age',
    'idle',
    'flags',
    'db',
    'qbuf',
    'omem',
    'tot-mem',
    'cmd',
    'user',
    'lib-name',
  ]);
  return Object.fromEntries(
    line
      .split(' ')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const)
      .filter(([name, value]) => shownFields.has(name) && value !== ''),
  );
}

function listOf(value: RespValue): readonly RespValue[] {
  return Array.isArray(value) ? (value as readonly RespValue[]) : [];
}

function isoTimeOf(seconds: number): string {
  return Number.isFinite(seconds) ? new Date(seconds * 1_000).toISOString() : 'no time';
}
