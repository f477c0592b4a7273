/**
 * What servers, kernels and clouds say of their own state, in the words that they document. The first shape that fits
 * counts, so servers come before what any program may say.
 */
import { brokers } from './messages/brokers.ts';
import { clouds } from './messages/clouds.ts';
import { mysql } from './messages/mysql.ts';
import { postgres } from './messages/postgres.ts';
import { programs } from './messages/programs.ts';
import { proxies } from './messages/proxies.ts';
import type { MessageRule } from './messages/rule.ts';
import { stores } from './messages/stores.ts';

export const messages: readonly MessageRule[] = [
  ...postgres,
  ...mysql,
  ...stores,
  ...brokers,
  ...proxies,
  ...programs,
  ...clouds,
];

/** Server products, used where a message gives no host name. */
export const systems: ReadonlySet<string> = new Set(messages.flatMap(({ system }) => system ?? []));
