/** The rights of a MySQL account, according to its grants. */
import type { Rights } from '../../core/index.ts';

const readingRights =
  /^(?:USAGE|SELECT|PROCESS|SHOW DATABASES|SHOW VIEW|REPLICATION CLIENT|BINLOG MONITOR|SLAVE MONITOR|REPLICA MONITOR)$/;
const monitoringRights = ['REPLICATION CLIENT', 'BINLOG MONITOR', 'SLAVE MONITOR', 'REPLICA MONITOR'];

/** Reads lines of `SHOW GRANTS`: `GRANT SELECT, PROCESS ON *.* TO …`. Rights that come from a role are not found. */
export function rightsOf(lines: readonly string[]): Rights {
  const grants = lines.flatMap((line) => {
    const [, rightsText = '', on = ''] = /^GRANT (.+?) ON (.+?) TO /.exec(line) ?? [];
    // A right may be limited to columns, `SELECT (a, b)`; the names of the columns are dropped.
    const lineRights = rightsText
      .replace(/\([^)]*\)/g, '')
      .split(',')
      .map((right) => right.trim());
    return [...lineRights, ...(/WITH GRANT OPTION/.test(line) ? ['GRANT OPTION'] : [])].map((right) => ({
      right,
      on,
    }));
  });
  const everywhere = new Set(grants.filter(({ on }) => on === '*.*').map(({ right }) => right));
  const hasAllRights = everywhere.has('ALL PRIVILEGES') || everywhere.has('ALL');
  return {
    missing: [
      ...(hasAllRights || everywhere.has('PROCESS') ? [] : ['PROCESS']),
      ...(hasAllRights || monitoringRights.some((right) => everywhere.has(right))
        ? []
        : ['REPLICATION CLIENT, or SLAVE MONITOR']),
    ],
    excess: [
      ...new Set(
        grants.filter(({ right }) => !readingRights.test(right)).map(({ right, on }) => `${right} on ${on}`),
      ),
    ],
  };
}
