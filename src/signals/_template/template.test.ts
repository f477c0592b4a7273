import { manualClock } from '../../core/index.ts';
import { brokenServers, httpDouble } from '../http-double.contract.ts';
import { signalContract } from '../signal.contract.ts';
import { openTemplate } from './template.ts';

const start = Date.UTC(2026, 6, 11, 12);
const window = { from: start, to: start + 3_600_000, baseline_from: start - 3_600_000, derivation: 'a test' };
const token = 'template-token-0123456789';

signalContract('template', async () => {
  const events = Array.from({ length: 20 }, (_, k) => ({
    at: start + k * 60_000,
    text: `event ${k}`,
    service: 'shop',
  }));
  const server = await httpDouble(({ path, query, headers }) => {
    if (headers.authorization !== `Bearer ${token}`) return { json: {}, status: 401 };
    if (path === '/version') return { json: { version: '1.0' } };
    const inside = events.filter(({ at }) => at >= Number(query.get('from')) && at < Number(query.get('to')));
    // A system may well put into a message what it was sent.
    const echo = [{ at: start + 1, text: `asked by ${headers.authorization} with password=hunter2-secret` }];
    const shown = [...(inside.length > 0 ? echo : []), ...inside].slice(0, Number(query.get('limit')));
    return { json: { events: shown, total: inside.length } };
  });
  const open = (base: string) =>
    openTemplate({
      base,
      fetch,
      clock: manualClock(start),
      authorization: { kind: 'bearer', token: { reveal: () => token } },
    });
  const { broken, close } = await brokenServers(open);
  return {
    signal: open(server.base),
    window,
    ask: { template_events: {} },
    plentiful: ['template_events'],
    secrets: [token, 'hunter2-secret'],
    broken,
    async dispose() {
      await server.close();
      await close();
    },
  };
});
