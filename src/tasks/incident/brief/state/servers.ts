/** Finds the named service that is the server of a message: messages name only the product. */
import { type Facts, serviceOf } from '../facts.ts';
import type { StateSeen } from './condition.ts';
import { systems } from './messages.ts';

export type NamedServer = (states: readonly StateSeen[]) => Pick<StateSeen, 'object' | 'service'> | null;

interface Product {
  /** Matches lines that only such a server writes about itself. */
  readonly says: RegExp;
  /** Matches the metrics that such a server exports. */
  readonly measures: RegExp;
  /** Matches names of such servers. */
  readonly called: RegExp;
  /** The product's name in messages of clients. */
  readonly word: RegExp;
}

const products: Readonly<Record<string, Product>> = {
  PostgreSQL: {
    says: /\bLOG:\s|\bcheckpoint (starting|complete)|database system (is|was) |\bautomatic (vacuum|analyze)\b|\bSTATEMENT:\s|\bDETAIL:\s|Multi-AZ instance failover/,
    measures:
      /^(pg_(stat|locks|database|replication|up)|numbackends|xact_|tup_|blks_|deadlocks|wal_|backends)/i,
    called: /postgres|\bpg|psql|timescale|aurora/i,
    word: /\b(postgres\w*|psycopg\d?|pgx?|libpq|SQLSTATE)\b/i,
  },
  MySQL: {
    says: /\[(Note|Warning|ERROR|System)\] |\bInnoDB:|\b(mysqld|mariadbd)\b|\bAborted connection \d+ to db|Multi-AZ instance failover/,
    measures:
      /^(mysql_(global|up|slave)|innodb_|threads_(connected|running)|seconds_behind|aborted_|com_select)/i,
    called: /mysql|maria|percona|aurora/i,
    word: /mysql|mariadb|\bSQLSTATE\b/i,
  },
  Redis: {
    says: /MASTER <-> REPLICA|(Connecting|Reconnecting) to MASTER|Background saving|DB saved on disk|changes in \d+ seconds\. Saving|Ready to accept connections|\bAOF\b|\bRDB\b|Connection with (master|replica)|user requested shutdown/i,
    measures:
      /^(redis_(up|memory|connected|evicted|keyspace)|used_memory|connected_(clients|slaves)|master_link|evicted_|expired_keys|keyspace_|rdb_|aof_|blocked_clients)/i,
    called: /redis|valkey|cache|session/i,
    word: /\bredis\b|jedis|lettuce/i,
  },
  RabbitMQ: {
    says: /(accepting|closing) AMQP connection|resource limit (alarm|low|high)|\brabbit@|\bmnesia\b|vm_memory_high_watermark|virtual host|consumer ack timed out/i,
    measures:
      /^(rabbitmq_(queue|up|alarms|connections|channels)|messages_(ready|unacked)|unacked|mem_alarm|disk_free_alarm|queue_messages)/i,
    called: /rabbit|\bmq|broker|amqp|queue|\bbus\b|messag/i,
    word: /rabbitmq|\bamqp\b/i,
  },
  nginx: {
    says: /\d+#\d+: |, client: [\d.:a-f]+, server:|\[(emerg|crit|alert|error|warn|notice)\] \d+#/,
    measures:
      /^(nginx_(connections|up)|active_connections|connections_(active|waiting|reading|writing)|worker_)/i,
    called: /nginx|proxy|ingress|edge|gateway|\blb\b|front/i,
    word: /\bnginx\b/i,
  },
  HAProxy: {
    says: /\bServer \S+\/\S+ is (DOWN|UP)|has no server available/,
    measures: /^haproxy_/i,
    called: /haproxy|proxy|\blb\b|edge/i,
    word: /haproxy/i,
  },
  Kafka: {
    says: /\[KafkaServer|GroupCoordinator|ISR\b/,
    measures: /^kafka_/i,
    called: /kafka|broker|stream/i,
    word: /kafka/i,
  },
  Elasticsearch: {
    says: /\[o\.(?:e|elasticsearch|opensearch)\./,
    measures: /^(elasticsearch_|es_)/i,
    called: /elastic|search|opensearch|\bes\b/i,
    word: /elasticsearch|opensearch/i,
  },
  MongoDB: { says: /"c":"(REPL|STORAGE|NETWORK)"/, measures: /^mongo/i, called: /mongo/i, word: /mongo/i },
  etcd: { says: /\betcd(server|main)\b/, measures: /^etcd_/i, called: /etcd/i, word: /\betcd\b/i },
};

/** Names that people give to databases, caches, brokers and proxies. */
const server =
  /db\b|database|sql|postgres|\bpg|mongo|redis|cache|memcache|rabbit|\bmq|kafka|broker|queue|elastic|search|etcd|store|nginx|haproxy|proxy|ingress|ldap|dns/i;

/**
 * The server of that kind: the one with messages and metrics of the product; else the one named after the product; else
 * the only one named like any server.
 */
export function serversIn(
  facts: Facts,
  entities: ReadonlySet<string>,
  subject: ReadonlySet<string>,
): NamedServer {
  return (states) => {
    const named = states.find(({ object }) => systems.has(object));
    if (named === undefined) return null;
    const product = products[named.object];
    if (product === undefined) return null;
    const speakers = speakersOf(facts, product);
    const known = [...entities].filter((name) => !systems.has(name));
    const choices: readonly (readonly string[])[] = [
      [...speakers],
      known.filter((name) => product.called.test(name)),
      states.flatMap(({ service }) => (service !== null && server.test(service) ? [service] : [])),
      known.filter((name) => server.test(name)),
    ];
    for (const found of choices) {
      const all = [...new Set(found)];
      const one =
        all.length === 1
          ? all[0]
          : (all.find((name) => states.some(({ service }) => service === name)) ??
            (speakers.size > 1 && found === choices[0]
              ? all[0]
              : all.filter((name) => subject.has(name))[0]));
      if (one !== undefined) return { object: one, service: one };
    }
    return null;
  };
}

/** Whether the text is a server's message as a client library reports it. */
const isOfClient = (text: string): boolean =>
  /\w(?:Exception|Error)\b(?!\])|\bSQLSTATE\b|\bTraceback\b|^\s*at [\w.$]+\(/m.test(text);

/** Services with lines or series that only this product has; the one with the most first. */
function speakersOf({ lines, patterns, series }: Facts, { says, measures }: Product): ReadonlySet<string> {
  const count = new Map<string, number>();
  const add = (name: string | null, by: number): void => {
    if (name !== null) count.set(name, (count.get(name) ?? 0) + by);
  };
  for (const { text, service } of lines) if (says.test(text) && !isOfClient(text)) add(service, 1);
  for (const { example, service, count: times } of patterns)
    if (says.test(example) && !isOfClient(example)) add(service, times);
  for (const one of series) if (measures.test(one.name)) add(serviceOf(one), 1);
  return new Set([...count].toSorted((a, b) => b[1] - a[1]).map(([name]) => name));
}

export interface Server {
  readonly name: string;
  readonly product: string;
  /** Matches the product's name in messages of clients. */
  readonly word: RegExp;
}

/** Servers that are the only one of their product, so that a message about the product is about them. */
export function ordinaryServers(facts: Facts, entities: ReadonlySet<string>): readonly Server[] {
  return Object.entries(products).flatMap(([product, one]) => {
    const said = [...speakersOf(facts, one)];
    const named = [...entities].filter((name) => !systems.has(name) && one.called.test(name));
    const [name, ...others] = said.length > 0 ? said : named;
    return name === undefined || others.length > 0 ? [] : [{ name, product, word: one.word }];
  });
}
