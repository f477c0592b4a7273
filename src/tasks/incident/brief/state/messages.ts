/**
 * What servers, kernels and clouds say of their own state, in the words that they document: PostgreSQL, MySQL and
 * MariaDB, Redis, RabbitMQ, Kafka, Elasticsearch, MongoDB, nginx, HAProxy, the JVM, errno, TLS, events of RDS.
 */
import type { Condition } from './condition.ts';

export interface MessageRule {
  /** The system in that state; null where it is the sender of the message. */
  readonly system: string | null;
  readonly shape: RegExp;
  readonly condition: Condition;
}

const root = (
  name: string,
  category: Condition['category'],
  remedy: string,
  resource?: Condition['resource'],
): Condition => ({ name, category, role: 'root', remedy, ...(resource && { resource }) });

const connections = root(
  'connections that are used up',
  'connection_exhaustion',
  'Find who holds connections and give them back; set a limit for each client, or pool them.',
  'connections',
);
const fullDisk = root(
  'a disk that is full',
  'storage_exhaustion',
  'Free space, or make it larger; find what filled it.',
  'storage',
);
const memory = root(
  'memory that is used up',
  'resource_exhaustion',
  'Find what takes the memory, or give it more.',
  'memory',
);
const files = root(
  'no more open files',
  'resource_exhaustion',
  'Raise the limit of open files, and look for what is not closed.',
);
const certificate = root(
  'a certificate that has expired',
  'infrastructure',
  'Renew the certificate and load it again; look which others expire next.',
);
const credential = root(
  'a credential that is refused or has expired',
  'configuration_error',
  'Renew the credential, and look which others expire next.',
);
const readOnly = root(
  'a server that takes no writes',
  'infrastructure',
  'Find the primary: after a failover clients may still write to what is now a replica.',
);
const starting = root(
  'a server that is starting, stopping or recovering',
  'infrastructure',
  'Look why it restarted, and wait until it is ready.',
);
const failover = root(
  'a failover',
  'infrastructure',
  'Look why it failed over, and whether clients found the new primary.',
);
const lag = root(
  'a replica that is behind',
  'replication_lag',
  'Find what the replica waits for: writes that are too many, a long transaction, its disk.',
);
const replication = root('replication that stopped', 'replication_lag', 'Repair or rebuild the replica.');
const checkpoints = root(
  'checkpoints that follow each other',
  'checkpoint_io_storm',
  'Raise max_wal_size, and find what writes so much.',
);
const locks = root(
  'locks that are waited for',
  'resource_exhaustion',
  'Find the transaction that holds the lock, and end it.',
);
const lowDisk = root(
  'storage that runs out',
  'storage_exhaustion',
  'Make the storage larger, and find what fills it.',
  'storage',
);
const names = root(
  'names that are not resolved',
  'configuration_error',
  'Look whether the name is right, and at the resolver of the cluster.',
);
const hardware = root('hardware that fails', 'infrastructure', 'Fail over from the machine and take it out.');
const queueLimit = root(
  'a limit of what a server takes',
  'resource_exhaustion',
  'Find what does not drain, or raise the limit.',
);
const quorum = root(
  'a cluster without a leader',
  'infrastructure',
  'Bring the members back, and look at the network between them.',
);
const throttled = root(
  'a quota that was met',
  'resource_exhaustion',
  'Ask for a higher quota, or lower what uses it.',
);
const wraparound = root(
  'transaction ids that run out',
  'resource_exhaustion',
  'Vacuum the oldest tables at once.',
);
const clock = root(
  'clocks that differ',
  'infrastructure',
  'Bring the clocks together again (NTP), and look which machine is off.',
);
const workers = root(
  'workers that are used up',
  'resource_exhaustion',
  'Raise the limit, or find what holds them.',
);
const config = root(
  'a configuration that is refused',
  'configuration_error',
  'Correct the configuration; the message names the place.',
);
const missing = root('a setting that is missing', 'configuration_error', 'Set what the message names.');
const schema = root(
  'a table or column that is not there',
  'configuration_error',
  'Run the migration that is missing, or take back the one that dropped it.',
);
const health = root('a machine that fails its checks', 'infrastructure', 'Replace the machine.');

const good = (name: string): Condition => ({ name, category: 'healthy', role: 'good', remedy: '' });
const recovered = good('what was wrong is over');

export const messages: readonly MessageRule[] = [
  // PostgreSQL, by the texts of its SQLSTATEs.
  {
    system: 'PostgreSQL',
    shape:
      /sorry, too many clients already|remaining connection slots are reserved|too many connections for (role|database)/i,
    condition: connections,
  },
  {
    system: 'PostgreSQL',
    shape: /could not (extend|write)( to)? file .*no space left/i,
    condition: fullDisk,
  },
  {
    system: 'PostgreSQL',
    shape:
      /the database system is (starting up|shutting down|in recovery mode|not yet accepting connections)/i,
    condition: starting,
  },
  {
    system: 'PostgreSQL',
    shape: /cannot execute \w+(?: \w+)? in a read-only transaction/i,
    condition: readOnly,
  },
  { system: 'PostgreSQL', shape: /checkpoints are occurring too frequently/i, condition: checkpoints },
  {
    system: 'PostgreSQL',
    shape: /database is not accepting commands .*wraparound|must be vacuumed within/i,
    condition: wraparound,
  },
  {
    system: 'PostgreSQL',
    shape:
      /requested WAL segment \S+ has already been removed|terminating walreceiver|could not receive data from WAL stream/i,
    condition: replication,
  },
  {
    system: 'PostgreSQL',
    shape: /password authentication failed for user|no pg_hba\.conf entry for/i,
    condition: credential,
  },
  {
    system: 'PostgreSQL',
    shape: /canceling statement due to lock timeout|deadlock detected|still waiting for \w+Lock on/i,
    condition: locks,
  },
  {
    system: 'PostgreSQL',
    shape: /(relation|column) "[^"]+"(?: of relation "[^"]+")? does not exist/i,
    condition: schema,
  },
  {
    system: 'PostgreSQL',
    shape: /could not resize shared memory segment|out of shared memory/i,
    condition: memory,
  },
  // MySQL and MariaDB, by the texts of their errors.
  {
    system: 'MySQL',
    shape:
      /\b(1040|08004)\b.*too many connections|too many connections\b|has exceeded the '?max_user_connections/i,
    condition: connections,
  },
  {
    system: 'MySQL',
    shape: /the table '[^']+' is full|\b1114\b.*full|disk is full writing/i,
    condition: fullDisk,
  },
  {
    system: 'MySQL',
    shape: /--(super-)?read-only option|running with the --(super-)?read[-_]only/i,
    condition: readOnly,
  },
  {
    system: 'MySQL',
    shape: /lock wait timeout exceeded|deadlock found when trying to get lock/i,
    condition: locks,
  },
  {
    system: 'MySQL',
    shape: /host '[^']+' is blocked because of many connection errors/i,
    condition: connections,
  },
  { system: 'MySQL', shape: /access denied for user '/i, condition: credential },
  { system: 'MySQL', shape: /got a packet bigger than 'max_allowed_packet'/i, condition: queueLimit },
  {
    system: 'MySQL',
    shape:
      /(slave|replica) (sql|i\/o|io)( thread)?.*(stopped|error|failed)|seconds_behind_(master|source)\W+\d{3,}/i,
    condition: replication,
  },
  { system: 'MySQL', shape: /unknown column '[^']+' in|table '[^']+' doesn't exist/i, condition: schema },
  // Redis, by the codes of its replies.
  { system: 'Redis', shape: /OOM command not allowed when used memory/i, condition: memory },
  { system: 'Redis', shape: /\bMISCONF\b.*(snapshot|disk|RDB)/i, condition: fullDisk },
  { system: 'Redis', shape: /max number of clients reached/i, condition: connections },
  { system: 'Redis', shape: /\bREADONLY\b you can't write against a read only/i, condition: readOnly },
  { system: 'Redis', shape: /\bLOADING\b redis is loading/i, condition: starting },
  { system: 'Redis', shape: /\bCLUSTERDOWN\b|\bMASTERDOWN\b|\bNOREPLICAS\b/i, condition: quorum },
  { system: 'Redis', shape: /\b(NOAUTH|WRONGPASS)\b/, condition: credential },
  { system: 'Redis', shape: /\bBUSY\b redis is busy running a script/i, condition: locks },
  { system: 'Redis', shape: /can't save in background: fork: cannot allocate memory/i, condition: memory },
  // RabbitMQ.
  {
    system: 'RabbitMQ',
    shape: /memory resource limit alarm (is )?set|vm_memory_high_watermark set|memory alarm/i,
    condition: memory,
  },
  {
    system: 'RabbitMQ',
    shape:
      /disk resource limit alarm (is )?set|free (disk )?space is (running )?(low|insufficient)|disk_free_limit|disk alarm/i,
    condition: lowDisk,
  },
  {
    system: 'RabbitMQ',
    shape: /connection\.blocked|publishers will be blocked|connection .*is blocked/i,
    condition: queueLimit,
  },
  { system: 'RabbitMQ', shape: /ACCESS_REFUSED/, condition: credential },
  { system: 'RabbitMQ', shape: /PRECONDITION_FAILED.*inequivalent arg/, condition: config },
  { system: 'RabbitMQ', shape: /file descriptor limit alarm set/i, condition: files },
  // Kafka, Elasticsearch, MongoDB, etcd.
  {
    system: 'Kafka',
    shape:
      /NOT_ENOUGH_REPLICAS|NotEnoughReplicas|NotLeaderFor(Partition|OrFollower)|LEADER_NOT_AVAILABLE|CoordinatorNotAvailable/,
    condition: quorum,
  },
  {
    system: 'Elasticsearch',
    shape: /flood[- ]stage (disk )?watermark|index read-only \/ allow delete|FORBIDDEN\/12/i,
    condition: fullDisk,
  },
  {
    system: 'Elasticsearch',
    shape: /circuit_breaking_exception|CircuitBreakingException/,
    condition: memory,
  },
  {
    system: 'Elasticsearch',
    shape: /es_rejected_execution_exception|EsRejectedExecution/,
    condition: queueLimit,
  },
  { system: 'Elasticsearch', shape: /cluster_block_exception|master_not_discovered/i, condition: quorum },
  {
    system: 'MongoDB',
    shape: /NotWritablePrimary|not master and slaveOk|NotPrimaryNoSecondaryOk/i,
    condition: readOnly,
  },
  { system: 'etcd', shape: /mvcc: database space exceeded/i, condition: fullDisk },
  { system: 'etcd', shape: /etcdserver: (no leader|leader changed)/i, condition: quorum },
  // Proxies.
  { system: 'nginx', shape: /worker_connections are not enough/i, condition: connections },
  { system: 'nginx', shape: /client intended to send too large body/i, condition: queueLimit },
  { system: 'nginx', shape: /\[emerg\]/, condition: config },
  { system: 'nginx', shape: /limiting (requests|connections), (excess|by)/i, condition: throttled },
  {
    system: 'HAProxy',
    shape: /proxy \S+ reached (process )?(FD|conn\w*|memory) limit/i,
    condition: connections,
  },
  // Pools of programs.
  {
    system: null,
    shape:
      /(HikariPool|connection pool|QueuePool|pool)\b.*(exhausted|limit of size|Connection is not available|timed? ?out (waiting|fetching)|no (free|available|idle) connections)|timeout (expired|acquiring).*pool|unable to (acquire|obtain|get) (a )?(jdbc )?connection/i,
    condition: connections,
  },
  {
    system: null,
    shape:
      /RejectedExecutionException|thread pool (is )?exhausted|server reached (pm\.)?max_(children|clients)/i,
    condition: workers,
  },
  // Errno, the kernel, the JVM.
  {
    system: null,
    shape: /no space left on device|\bENOSPC\b|disk quota exceeded|\bEDQUOT\b/i,
    condition: fullDisk,
  },
  { system: null, shape: /too many open files|\bE[MN]FILE\b/i, condition: files },
  {
    system: null,
    shape:
      /out of memory: killed process|oom-kill|invoked oom-killer|\bOOMKilled\b|java\.lang\.OutOfMemoryError|cannot allocate memory|\bENOMEM\b|JavaScript heap out of memory|std::bad_alloc/i,
    condition: memory,
  },
  {
    system: null,
    shape: /nf_conntrack: table full|cannot assign requested address|\bEADDRNOTAVAIL\b/i,
    condition: connections,
  },
  {
    system: null,
    shape:
      /read-only file ?system|\bEROFS\b|input\/output error|blk_update_request: I\/O error|\bEIO\b|EXT4-fs error|XFS .*(corruption|shutdown)|medium error|uncorrectable ECC|machine check/i,
    condition: hardware,
  },
  {
    system: null,
    shape:
      /getaddrinfo (ENOTFOUND|EAI_AGAIN|EAI_NONAME)|\bNXDOMAIN\b|no such host|name or service not known|temporary failure in name resolution|could not resolve host|UnknownHostException|server misbehaving|SERVFAIL/i,
    condition: names,
  },
  {
    system: null,
    shape:
      /certificate (has )?expired|certificate .*not valid after|x509: certificate has expired|CERT_HAS_EXPIRED|NotAfter|sslv3 alert certificate expired/i,
    condition: certificate,
  },
  {
    system: null,
    shape:
      /RequestTimeTooSkewed|clock skew too great|token .{0,20}used before issued|token (is )?not (yet )?valid( yet)?|\bJWT\b.*issued in the future/i,
    condition: clock,
  },
  {
    system: null,
    shape:
      /ExpiredToken|token (has |is )?expired|InvalidClientTokenId|api key (has )?(expired|been revoked)|licen[cs]e (has )?expired/i,
    condition: credential,
  },
  {
    system: null,
    shape:
      /(required |missing )(required )?env(ironment)? (var(iable)?)|env(ironment)? var(iable)? \S+ (is )?(not set|missing|required|undefined)|missing required (config|setting)|configuration error:|invalid configuration/i,
    condition: missing,
  },
  {
    system: null,
    shape:
      /ProvisionedThroughputExceeded|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|rate limit (was )?exceeded|SlowDown\b|quota (has been )?exceeded|RESOURCE_EXHAUSTED/i,
    condition: throttled,
  },
  // Databases that a cloud runs (events of RDS and the like).
  {
    system: null,
    shape: /(ran out of|running out of|has exhausted its|insufficient) storage( space)?|storage[- ]full/i,
    condition: fullDisk,
  },
  {
    system: null,
    shape:
      /(storage|disk)( space)? is (critically )?low|low (on )?(free )?storage|free storage .* is low|allocated storage .*exhausted/i,
    condition: lowDisk,
  },
  {
    system: null,
    shape:
      /(approaching|reached|exceeded|at) (the )?(max_connections|maximum (number of )?connections)|max_connections (limit )?(reached|exceeded)/i,
    condition: connections,
  },
  {
    system: null,
    shape:
      /failover (has )?(started|initiated|completed|in progress|complete)|multi-az (instance )?failover|(started|completed) failover/i,
    condition: failover,
  },
  {
    system: null,
    shape:
      /replica(tion)? (lag|delay).*(exceed|high|behind|growing|above|increas)|replica is (falling )?behind/i,
    condition: lag,
  },
  {
    system: null,
    shape: /replication (has )?(stopped|failed|broken|error)|read replica .*error/i,
    condition: replication,
  },
  {
    system: null,
    shape:
      /(instance|system) status checks? (has |have )?failed|impaired|instance .*(retire|scheduled for (stop|retirement))|spot instance (interruption|termination)/i,
    condition: health,
  },
  {
    system: null,
    shape: /Target\.(FailedHealthChecks|Timeout|ResponseCodeMismatch)|Elb\.InternalError/,
    condition: health,
  },
  // Well again.
  {
    system: null,
    shape:
      /\b(has )?recovered\b|autoscaling (has )?(been )?completed|is (now )?(available|healthy|ready)( again)?\b|back to normal|resource limit alarm (is )?cleared|returned to (ready|normal|healthy)|rolled back|rollback (was )?successful/i,
    condition: recovered,
  },
];

/** Server products, used where a message gives no host name. */
export const systems: ReadonlySet<string> = new Set(messages.flatMap(({ system }) => system ?? []));
