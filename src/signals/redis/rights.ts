/** The rights of an account, according to Redis. */
import type { Inspection, Rights } from '../../core/index.ts';
import type { RedisConnection } from './connection.ts';
import { RespError, type RespValue } from './resp.ts';

/** Commands that Sonde's queries of Redis need. */
const neededCommands = [
  ['INFO', 'server'],
  ['SLOWLOG', 'GET', '1'],
  ['CLIENT', 'LIST'],
  ['LATENCY', 'LATEST'],
  ['MEMORY', 'STATS'],
];
/** Grants of command categories that can change something; `+@all` includes them. */
const changingGrants = ['+@all', '+@write', '+@admin', '+@dangerous', '+@scripting'];

export async function inspectRedis(redis: Pick<RedisConnection, 'send'>, now: number): Promise<Inspection> {
  const missing: string[] = [];
  for (const words of neededCommands) {
    const reply = await redis.send(...words);
    if (reply instanceof RespError && reply.message.startsWith('NOPERM')) missing.push(words.join(' '));
  }
  const commands = await commandRulesOf(redis);
  return { rights: rightsOf(missing, commands), clockMs: clockOffsetMs(await redis.send('TIME'), now) };
}

/** The account's rules for commands, such as `-@all +@read`; null if it may not read them. */
async function commandRulesOf(redis: Pick<RedisConnection, 'send'>): Promise<string | null> {
  const userName = await redis.send('ACL', 'WHOAMI');
  if (typeof userName !== 'string' || !/^[\w.-]{1,64}$/.test(userName)) return null;
  const reply = await redis.send('ACL', 'GETUSER', userName);
  if (!Array.isArray(reply)) return null;
  const commands: unknown = reply[reply.indexOf('commands') + 1];
  return typeof commands === 'string' ? commands : null;
}

/** If the ACL can't be read, commands that were refused are still reported as missing. */
function rightsOf(missing: readonly string[], commands: string | null): Rights {
  if (commands === null) return missing.length === 0 ? 'unknown' : { missing, excess: [] };
  const grants = new Set<string>();
  // Rules apply from left to right, so a later one overrides an earlier one.
  for (const word of commands.split(' ')) {
    if (word === '-@all') grants.clear();
    else if (changingGrants.includes(word)) grants.add(word);
    else if (word.startsWith('-@')) grants.delete(`+${word.slice(1)}`);
  }
  return { missing, excess: [...grants] };
}

/** How far the clock of Redis is ahead of `now`, in milliseconds; null if the reply to `TIME` has no time. */
function clockOffsetMs(reply: RespValue, now: number): number | null {
  if (!Array.isArray(reply)) return null;
  const [seconds = Number.NaN, micros = 0] = reply.map(Number);
  const serverTime = seconds * 1_000 + micros / 1_000;
  return Number.isNaN(serverTime) ? null : Math.round(serverTime - now);
}
