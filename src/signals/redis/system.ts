import { declareSetting, keySetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'redis',
  title: 'Redis',
  offers: 'memory, clients, slow commands and latency, as they are now',
  settings: {
    redis_address: declareSetting(
      'host:port',
      'Redis to look at in an investigation, read only.',
      'HOST:PORT',
      'SONDE_REDIS',
    ),
    redis_user: declareSetting(
      'text',
      'Redis user name. Absent: the default user of Redis.',
      'the name of a user',
      'REDIS_USER',
    ),
    redis_token: keySetting('Redis: its password', 'SONDE_REDIS_PASSWORD'),
  },
  async open(
    { redis_address: address, redis_user: user, redis_token: token },
    { clock, credential, socket },
  ) {
    if (address === undefined) return null;
    const { openRedis } = await import('./redis.ts');
    const login =
      token === undefined
        ? {}
        : { login: { password: credential(token), ...(user !== undefined && { user }) } };
    return { signals: [openRedis({ address, clock, connect: socket(address), ...login })] };
  },
});
