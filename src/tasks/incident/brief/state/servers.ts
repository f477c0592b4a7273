/** Finds the named service that is the server of a message: messages name only the product. */
import { type Facts, serviceOf } from '../facts.ts';
import type { StateSeen } from './condition.ts';
import { systems } from './messages.ts';

export type FindServer = (states: readonly StateSeen[]) => Pick<StateSeen, 'object' | 'service'> | null;

interface Product {
  /** Matches lines that only a server of this product writes about itself. */
  readonly logPattern: RegExp;
  /** Matches the metrics that such a server exports. */
  readonly metricPattern: RegExp;
  /** Matches names of such servers. */
  readonly namePattern: RegExp;
  /** The product's name in messages of clients. */
  readonly word: RegExp;
}

const products: Readonly<Record<string, Product>> = {
  PostgreSQL: {
    logPattern:
      /\bLOG:\s|\bcheckpoint (starting|complete)|database system (is|was) |\bautomatic (vacuum|analyze)\b|\bSTATEMENT:\s|\bDETAIL:\s|Multi-AZ instance failover/,
    metricPattern:
      /^(pg_(stat|locks|database|replication|up)|numbackends|xact_|tup_|blks_|deadlocks|wal_|backends)/i,
    namePattern: /postgres|\bpg|psql|timescale|aurora/i,
    word: /\b(postgres\w*|psycopg\d?|pgx?|libpq|SQLSTATE)\b/i,
  },
  MySQL: {
    logPattern:
      /\[(Note|Warning|ERROR|System)\] |\bInnoDB:|\b(mysqld|mariadbd)\b|\bAborted connection \d+ to db|Multi-AZ instance failover/,
    metricPattern:
      /^(mysql_(global|up|slave)|innodb_|threads_(connected|running)|seconds_behind|aborted_|com_select)/i,
    namePattern: /mysql|maria|percona|aurora/i,
    word: /mysql|mariadb|\bSQLSTATE\b/i,
  },
  Redis: {
    logPattern:
      /MASTER <-> REPLICA|(Connecting|Reconnecting) to MASTER|Background saving|DB saved on disk|changes in \d+ seconds\. Saving|Ready to accept connections|\bAOF\b|\bRDB\b|Connection with (master|replica)|user requested shutdown/i,
    metricPattern:
      /^(redis_(up|memory|connected|evicted|keyspace)|used_memory|connected_(clients|slaves)|master_link|evicted_|expired_keys|keyspace_|rdb_|aof_|blocked_clients)/i,
    namePattern: /redis|valkey|cache|session/i,
    word: /\bredis\b|jedis|lettuce/i,
  },
  RabbitMQ: {
    logPattern:
      /(accepting|closing) AMQP connection|resource limit (alarm|low|high)|\brabbit@|\bmnesia\b|vm_memory_high_watermark|virtual host|consumer ack timed out/i,
    metricPattern:
      /^(rabbitmq_(queue|up|alarms|connections|channels)|messages_(ready|unacked)|unacked|mem_alarm|disk_free_alarm|queue_messages)/i,
    namePattern: /rabbit|\bmq|broker|amqp|queue|\bbus\b|messag/i,
    word: /rabbitmq|\bamqp\b/i,
  },
  nginx: {
    logPattern: /\d+#\d+: |, client: [\d.:a-f]+, server:|\[(emerg|crit|alert|error|warn|notice)\] \d+#/,
    metricPattern:
      /^(nginx_(connections|up)|active_connections|connections_(active|waiting|reading|writing)|worker_)/i,
    namePattern: /nginx|proxy|ingress|edge|gateway|\blb\b|front/i,
    word: /\bnginx\b/i,
  },
  HAProxy: {
    logPattern: /\bServer \S+\/\S+ is (DOWN|UP)|has no server available/,
    metricPattern: /^haproxy_/i,
    namePattern: /haproxy|proxy|\blb\b|edge/i,
    word: /haproxy/i,
  },
  Kafka: {
    logPattern: /\[KafkaServer|GroupCoordinator|ISR\b/,
    metricPattern: /^kafka_/i,
    namePattern: /kafka|broker|stream/i,
    word: /kafka/i,
  },
  Elasticsearch: {
    logPattern: /\[o\.(?:e|elasticsearch|opensearch)\./,
    metricPattern: /^(elasticsearch_|es_)/i,
    namePattern: /elastic|search|opensearch|\bes\b/i,
    word: /elasticsearch|opensearch/i,
  },
  MongoDB: {
    logPattern: /"c":"(REPL|STORAGE|NETWORK)"/,
    metricPattern: /^mongo/i,
    namePattern: /mongo/i,
    word: /mongo/i,
  },
  etcd: {
    logPattern: /\betcd(server|main)\b/,
    metricPattern: /^etcd_/i,
    namePattern: /etcd/i,
    word: /\betcd\b/i,
  },
};

/** Names that people give to databases, caches, brokers and proxies. */
const serverName =
  /db\b|database|sql|postgres|\bpg|mongo|redis|cache|memcache|rabbit|\bmq|kafka|broker|queue|elastic|search|etcd|store|nginx|haproxy|proxy|ingress|ldap|dns/i;

/**
 * Finds the server of a product: the one with messages and metrics of the product; otherwise the one named after the
 * product; otherwise the only one with a name of any server.
 */
export function createServerFinder(
  facts: Facts,
  entities: ReadonlySet<string>,
  subject: ReadonlySet<string>,
): FindServer {
  return (states) => {
    const named = states.find(({ object }) => systems.has(object));
    if (named === undefined) return null;
    const product = products[named.object];
    if (product === undefined) return null;
    const speakers = findSpeakers(facts, product);
    const knownNames = [...entities].filter((name) => !systems.has(name));
    const choices: readonly (readonly string[])[] = [
      [...speakers],
      knownNames.filter((name) => product.namePattern.test(name)),
      states.flatMap(({ service }) => (service !== null && serverName.test(service) ? [service] : [])),
      knownNames.filter((name) => serverName.test(name)),
    ];
    for (const found of choices) {
      const all = [...new Set(found)];
      const name =
        all.length === 1
          ? all[0]
          : (all.find((name) => states.some(({ service }) => service === name)) ??
            (speakers.size > 1 && found === choices[0]
              ? all[0]
              : all.filter((name) => subject.has(name))[0]));
      if (name !== undefined) return { object: name, service: name };
    }
    return null;
  };
}

/** Whether the text is a server's message as a client library reports it. */
const isQuotedByClient = (text: string): boolean =>
  /\w(?:Exception|Error)\b(?!\])|\bSQLSTATE\b|\bTraceback\b|^\s*at [\w.$]+\(/m.test(text);

/** Services with lines or series that only this product has; the one with the most first. */
function findSpeakers(
  { lines, patterns, series }: Facts,
  { logPattern, metricPattern }: Product,
): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const add = (name: string | null, amount: number): void => {
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + amount);
  };
  for (const { text, service } of lines)
    if (logPattern.test(text) && !isQuotedByClient(text)) add(service, 1);
  for (const { example, service, count: times } of patterns)
    if (logPattern.test(example) && !isQuotedByClient(example)) add(service, times);
  for (const item of series) if (metricPattern.test(item.name)) add(serviceOf(item), 1);
  return new Set([...counts].toSorted((a, b) => b[1] - a[1]).map(([name]) => name));
}

export interface Server {
  readonly name: string;
  readonly product: string;
  /** Matches the product's name in messages of clients. */
  readonly word: RegExp;
}

/** The servers that are the only one of their product, so that a message about the product is about them. */
export function listUniqueServers(facts: Facts, entities: ReadonlySet<string>): readonly Server[] {
  return Object.entries(products).flatMap(([product, details]) => {
    const reporting = [...findSpeakers(facts, details)];
    const named = [...entities].filter((name) => !systems.has(name) && details.namePattern.test(name));
    const [name, ...others] = reporting.length > 0 ? reporting : named;
    return name === undefined || others.length > 0 ? [] : [{ name, product, word: details.word }];
  });
}
