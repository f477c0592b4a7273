/** What an account may do, by its own grants. */
import type { Rights } from '../../core/index.ts';

const reading =
  /^(?:USAGE|SELECT|PROCESS|SHOW DATABASES|SHOW VIEW|REPLICATION CLIENT|BINLOG MONITOR|SLAVE MONITOR|REPLICA MONITOR)$/;
const monitors = ['REPLICATION CLIENT', 'BINLOG MONITOR', 'SLAVE MONITOR', 'REPLICA MONITOR'];

/** Lines of `SHOW GRANTS`: `GRANT SELECT, PROCESS ON *.* TO …`. Roles are not looked into: what they grant stays unnamed. */
export function rightsOf(lines: readonly string[]): Rights {
  const grants = lines.flatMap((line) => {
    const [, words = '', on = ''] = /^GRANT (.+?) ON (.+?) TO /.exec(line) ?? [];
    // Granted for some columns only: which ones does not matter here.
    const own = words
      .replace(/\([^)]*\)/g, '')
      .split(',')
      .map((word) => word.trim());
    return [...own, ...(/WITH GRANT OPTION/.test(line) ? ['GRANT OPTION'] : [])].map((right) => ({
      right,
      on,
    }));
  });
  const everywhere = new Set(grants.filter(({ on }) => on === '*.*').map(({ right }) => right));
  const all = everywhere.has('ALL PRIVILEGES') || everywhere.has('ALL');
  return {
    missing: [
      ...(all || everywhere.has('PROCESS') ? [] : ['PROCESS']),
      ...(all || monitors.some((right) => everywhere.has(right))
        ? []
        : ['REPLICATION CLIENT, or SLAVE MONITOR']),
    ],
    excess: [
      ...new Set(
        grants.filter(({ right }) => !reading.test(right)).map(({ right, on }) => `${right} on ${on}`),
      ),
    ],
  };
}
