/**
 * Documented messages of servers, kernels and clouds about their own state. The first matching pattern counts, so
 * patterns of specific servers precede general ones.
 */
import { brokers } from './messages/brokers.ts';
import { clouds } from './messages/clouds.ts';
import { mysql } from './messages/mysql.ts';
import { postgres } from './messages/postgres.ts';
import { programs } from './messages/programs.ts';
import { proxies } from './messages/proxies.ts';
import { rds } from './messages/rds.ts';
import type { MessageRule } from './messages/rule.ts';
import { stores } from './messages/stores.ts';

export const messages: readonly MessageRule[] = [
  // First, since its messages are whole sentences, in which the patterns below would match a word.
  ...rds,
  ...postgres,
  ...mysql,
  ...stores,
  ...brokers,
  ...proxies,
  ...programs,
  ...clouds,
];

/** Server products, used if a message names no host. */
export const systems: ReadonlySet<string> = new Set(messages.flatMap(({ system }) => system ?? []));
