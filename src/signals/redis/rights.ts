/** What an account may do in Redis, as Redis itself says it. */
import type { Inspection, Rights } from '../../core/index.ts';
import type { RedisConnection } from './connection.ts';
import { RespError, type RespValue } from './resp.ts';

/** Commands that Sonde's queries of Redis need. */
const needed = [
  ['INFO', 'server'],
  ['SLOWLOG', 'GET', '1'],
  ['CLIENT', 'LIST'],
  ['LATENCY', 'LATEST'],
  ['MEMORY', 'STATS'],
];
/** Grants of command categories that can change something; `+@all` includes them. */
const changing = ['+@all', '+@write', '+@admin', '+@dangerous', '+@scripting'];

export async function inspectRedis(redis: Pick<RedisConnection, 'send'>, now: number): Promise<Inspection> {
  const missing: string[] = [];
  for (const words of needed) {
    const said = await redis.send(...words);
    if (said instanceof RespError && said.message.startsWith('NOPERM')) missing.push(words.join(' '));
  }
  const commands = await commandsOf(redis);
  return { rights: rightsOf(missing, commands), clockMs: clockOf(await redis.send('TIME'), now) };
}

/** The permissions of the account; null if it may not read them. */
async function commandsOf(redis: Pick<RedisConnection, 'send'>): Promise<string | null> {
  const who = await redis.send('ACL', 'WHOAMI');
  if (typeof who !== 'string' || !/^[\w.-]{1,64}$/.test(who)) return null;
  const said = await redis.send('ACL', 'GETUSER', who);
  if (!Array.isArray(said)) return null;
  const commands: unknown = said[said.indexOf('commands') + 1];
  return typeof commands === 'string' ? commands : null;
}

/** If the ACL can't be read, commands that were refused are still reported as missing. */
function rightsOf(missing: readonly string[], commands: string | null): Rights {
  if (commands === null) return missing.length === 0 ? 'unknown' : { missing, excess: [] };
  const taken = new Set<string>();
  // Rules are read from left to right: what is taken away later counts.
  for (const word of commands.split(' ')) {
    if (word === '-@all') taken.clear();
    else if (changing.includes(word)) taken.add(word);
    else if (word.startsWith('-@')) taken.delete(`+${word.slice(1)}`);
  }
  return { missing, excess: [...taken] };
}

function clockOf(said: RespValue, now: number): number | null {
  if (!Array.isArray(said)) return null;
  const [seconds = Number.NaN, micros = 0] = said.map(Number);
  const there = seconds * 1_000 + micros / 1_000;
  return Number.isNaN(there) ? null : Math.round(there - now);
}
