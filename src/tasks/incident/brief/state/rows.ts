/** Reads the states of objects from the rows that systems return for them. */
import type { Condition, StateSeen } from './condition.ts';
import { certificate } from './conditions.ts';
import { findHolders } from './holders.ts';
import { findCondition, reasons } from './kubernetes.ts';
import { messages } from './messages.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Table {
  readonly rows: readonly Row[];
  readonly evidence: string;
}

const allGood: Condition = { name: 'all is as it should be', category: 'healthy', role: 'good', remedy: '' };
const createShortage = (
  name: string,
  category: Condition['category'],
  resource?: Condition['resource'],
): Condition => ({
  name,
  category,
  role: 'root',
  remedy: 'Give it more room, or find what uses it up.',
  ...(resource && { resource }),
});
const unhealthy: Condition = {
  name: 'a machine or a server that says it is not well',
  category: 'infrastructure',
  role: 'root',
  remedy: 'Look at what it says of itself; fail over or replace it.',
};
/** Argo CD reports that a deployment does not come up, but not why. */
const failedDeployment: Condition = {
  name: 'a deployment that does not come up',
  category: 'unknown',
  role: 'effect',
  remedy: 'Look at the objects of the application, and at what was synced last.',
};
const tooFewReplicas: Condition = {
  name: 'fewer replicas than are wanted',
  category: 'unknown',
  role: 'effect',
  remedy: 'Look why the pods are not ready.',
};

/** States of databases, machines and targets as clouds document them. */
const statuses: readonly (readonly [shape: RegExp, condition: Condition])[] = [
  [/^storage-(full|config-upgrade)$/, createShortage('a disk that is full', 'storage_exhaustion', 'storage')],
  [
    /^(failed|impaired|unhealthy|unreachable|incompatible-[\w-]+|inaccessible-[\w-]+|restore-error|insufficient-capacity|degraded|offline|down|error)$/,
    unhealthy,
  ],
];

const readText = (row: Row, ...names: readonly string[]): string | null => {
  for (const name of names) if (typeof row[name] === 'string' && row[name] !== '') return row[name];
  return null;
};
const readNumber = (row: Row, ...names: readonly string[]): number | null => {
  for (const name of names) {
    const value = row[name];
    const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof parsed === 'number' && Number.isFinite(parsed)) return parsed;
  }
  return null;
};

/** Joins rows of names and values, one for each number of a server, into a single row. */
function joinRows(rows: readonly Row[]): readonly Row[] {
  const isList = rows.length > 3 && rows.every((row) => 'name' in row && 'value' in row);
  if (!isList) return rows;
  return [
    { name: 'the server', ...Object.fromEntries(rows.map((row) => [String(row['name']), row['value']])) },
  ];
}

/** Whether the object is being deleted: then it is normal that its parts end. */
const isBeingDeleted = (row: Row): boolean =>
  Object.entries(row).some(
    ([name, value]) =>
      /(^|\.)deletion_?timestamp$/i.test(name) && value !== null && value !== '' && value !== false,
  );

export const listTerminating = ({ rows }: Table): readonly string[] =>
  rows.filter(isBeingDeleted).flatMap((row) => readName(row) ?? []);

/** The pods that now run on a node, so that an earlier failure to place them is over. */
export const listPlacedPods = ({ rows }: Table): readonly string[] =>
  rows
    .filter(
      (row) =>
        readText(row, 'phase', 'status') === 'Running' &&
        readText(row, 'node_name', 'nodeName', 'node') !== null,
    )
    .flatMap((row) => readName(row) ?? []);

export function findTableStates({ rows, evidence }: Table): readonly StateSeen[] {
  const holders = findHolders(rows, evidence);
  const others = joinRows(rows).flatMap((row) => {
    const name = readName(row);
    if (name === null || isBeingDeleted(row)) return [];
    const kind = readText(row, 'kind') ?? '';
    const object = kind === '' ? name : `${kind[0]!.toUpperCase()}${kind.slice(1)}/${name}`;
    const service = readText(row, 'service', 'app', 'deployment') ?? name;
    const toStateSeen = (condition: Condition, quote: string, more: Partial<StateSeen> = {}): StateSeen => ({
      condition,
      object,
      service,
      first: null,
      last: null,
      isCurrent: true,
      quote: quote.replace(/\s+/g, ' ').slice(0, 160),
      evidence,
      ...more,
    });
    const badStates = [
      ...findByReason(row, toStateSeen),
      ...findByCondition(row, toStateSeen),
      ...findByStatus(row, toStateSeen),
      ...findByCount(row, toStateSeen),
      ...findExpired(row, name, evidence),
    ];
    if (badStates.length > 0) return badStates;
    return isWell(row) ? [toStateSeen(allGood, 'ready')] : [];
  });
  return [...holders, ...others];
}

/** The name of a row: a plain name, or an id as clouds write it (`InstanceId`, `Target.Id`, `DBInstanceIdentifier`). */
function readName(row: Row): string | null {
  const plainName = readText(row, 'name', 'Name', 'pod', 'id', 'database', 'metadata.name');
  if (plainName !== null) return plainName;
  const key = Object.keys(row).find((key) => /(^|[._])(\w*(id|identifier|name))$/i.test(key));
  return key === undefined ? null : readText(row, key);
}

/** A certificate that was not renewed, with its expiry date. Its name says which host uses it. */
function findExpired(row: Row, name: string, evidence: string): readonly StateSeen[] {
  const expiry = Date.parse(readText(row, 'not_after', 'notAfter', 'status.notAfter', 'expires_at') ?? '');
  const quote = Object.entries(row)
    .filter(([key]) => /reason|message|condition|ready|status/i.test(key))
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' ');
  const isNotRenewed =
    row['ready'] === false || /\bexpired\b|not ?ready|ready\W+(status\W+)?false|fail/i.test(quote);
  if (Number.isNaN(expiry) || !isNotRenewed) return [];
  return [
    {
      condition: certificate,
      object: `Certificate/${name}`,
      service: name.replace(/[-_.](serving|server|client|tls|cert|certificate|internal|ingress)+$/i, ''),
      first: expiry,
      last: null,
      isCurrent: true,
      quote: `${name} ends at ${new Date(expiry).toISOString()}: ${quote}`.slice(0, 160),
      evidence,
    },
  ];
}

type ToState = (condition: Condition, quote: string, more?: Partial<StateSeen>) => StateSeen;

/** `waiting: api ImagePullBackOff ...`, `containers.api.state.reason: OOMKilled`, `reason: Evicted`. */
function findByReason(row: Row, toStateSeen: ToState): readonly StateSeen[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (
      typeof value !== 'string' ||
      !/reason$|^waiting$|^last_end$|^conditions$|^status$|message$/i.test(name)
    )
      return [];
    if (/^conditions\./.test(name)) return [];
    const word = value.split(/[\s=;,:]+/).find((word) => Object.hasOwn(reasons, word));
    const wasBefore = name === 'last_end' || /last_?state/i.test(name);
    const message = String(row[name.replace(/reason$/, 'message')] ?? value);
    const condition =
      word === undefined
        ? (messages.find(({ shape }) => shape.test(value))?.condition ?? null)
        : findCondition(word, message);
    if (condition === null || condition.role === 'good') return [];
    return [toStateSeen(condition, `${word ?? ''} ${message}`.trim(), { isCurrent: !wasBefore })];
  });
}

function findByCondition(row: Row, toStateSeen: ToState): readonly StateSeen[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const [, conditionName] = /^conditions\.(\w+)\.status$/.exec(name) ?? [];
    const [, pressure] = /^(memory|disk|pid)_?pressure$/i.exec(name) ?? [];
    const isTrue = /^true$/i.test(String(value));
    if (pressure !== undefined) {
      const known =
        reasons[
          `${pressure.toLowerCase() === 'pid' ? 'PID' : `${pressure[0]!.toUpperCase()}${pressure.slice(1).toLowerCase()}`}Pressure`
        ];
      return isTrue && known !== undefined ? [toStateSeen(known, `${name} is true`)] : [];
    }
    if (conditionName === undefined) return [];
    const isTrouble = /Pressure|Unavailable|Failure|Failed|Deadlock|Readonly/i.test(conditionName);
    if (isTrue !== isTrouble) return [];
    const reason = String(row[`conditions.${conditionName}.reason`] ?? '');
    const message = String(row[`conditions.${conditionName}.message`] ?? '');
    const condition = findCondition(reason, message) ?? findCondition(conditionName, message);
    return condition === null || condition.role === 'good'
      ? []
      : [toStateSeen(condition, `${conditionName} ${reason} ${message}`)];
  });
}

function findByStatus(row: Row, toStateSeen: ToState): readonly StateSeen[] {
  const isNode =
    /^node$/i.test(String(row['kind'] ?? '')) || 'kubelet_version' in row || 'allocatable_cpu' in row;
  // An application, or an object that belongs to one.
  if ('application' in row || ('sync' in row && 'health' in row)) {
    const health = readText(row, 'health') ?? '';
    return /^(degraded|missing)$/i.test(health)
      ? [toStateSeen(failedDeployment, [`health is ${health}`, readText(row, 'message') ?? ''].join(': '))]
      : [];
  }
  const ready = readText(row, 'ready');
  const notReady =
    isNode && ready !== null && /^(false|unknown)$/i.test(ready)
      ? [toStateSeen(reasons['NodeNotReady']!, `ready is ${ready}`)]
      : [];
  const byName = Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'string' && /(status|state|health)$/i.test(name)
      ? statuses
          .filter(([shape]) => shape.test(value.toLowerCase()))
          .map(([, condition]) => toStateSeen(condition, `${name} is ${value}`))
      : [],
  );
  return [...notReady, ...byName];
}

/**
 * States that follow from two numbers of a row: the used amount and its limit, or the ready and the wanted replicas.
 */
function findByCount(row: Row, toStateSeen: ToState): readonly StateSeen[] {
  const used = readNumber(row, 'connections', 'connected_clients', 'used_memory', 'used', 'current');
  const max = readNumber(
    row,
    'most_connections',
    'max_connections',
    'maxclients',
    'maxmemory',
    'max',
    'limit',
    'hard',
  );
  const isMemory = 'used_memory' in row || 'maxmemory' in row;
  const limitStates =
    used !== null && max !== null && max > 0 && used >= 0.95 * max
      ? [
          toStateSeen(
            isMemory
              ? createShortage('memory that is used up', 'resource_exhaustion', 'memory')
              : createShortage('connections that are used up', 'connection_exhaustion', 'connections'),
            `${used} of ${max} are used`,
          ),
        ]
      : [];
  const secondsBehind = readNumber(
    row,
    'behind_s',
    'seconds_behind_master',
    'seconds_behind_source',
    'replica_lag_seconds',
  );
  const laggingStates =
    secondsBehind !== null && secondsBehind > 60
      ? [
          toStateSeen(
            createShortage('a replica that is behind', 'replication_lag'),
            `${secondsBehind} s behind`,
          ),
        ]
      : [];
  const [wanted, ready] = readReplicas(row);
  const missingReplicas =
    wanted !== null && ready !== null && ready < wanted
      ? [toStateSeen(tooFewReplicas, `${ready} of ${wanted} are ready`)]
      : [];
  return [...limitStates, ...laggingStates, ...missingReplicas];
}

const readReplicas = (row: Row): readonly [number | null, number | null] => [
  readNumber(row, 'desired', 'replicas', 'spec.replicas', 'desired_replicas'),
  readNumber(row, 'ready', 'readyReplicas', 'available', 'availableReplicas', 'ready_replicas'),
];

/** Whether all fields of the object are good: ready, running, as many as wanted. */
function isWell(row: Row): boolean {
  const [wanted, readyCount] = readReplicas(row);
  if (wanted !== null && readyCount !== null) return wanted > 0 && readyCount >= wanted;
  const ready = readText(row, 'ready');
  const counts = /^(\d+)\/(\d+)$/.exec(ready ?? '');
  if (counts !== null) return Number(counts[2]) > 0 && counts[1] === counts[2];
  if (ready !== null) return /^true$/i.test(ready);
  const flags = Object.entries(row).filter(([name]) => /(^|\.)ready$/i.test(name));
  if (flags.length > 0) return flags.every(([, value]) => value === true || value === 'True');
  return /^(available|healthy|running|active|in-service|inservice|ok)$/i.test(
    readText(row, 'status', 'state', 'health', 'DBInstanceStatus', 'db_instance_status') ?? '',
  );
}
