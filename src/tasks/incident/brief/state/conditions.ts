/** The states that servers, kernels and clouds report, each with what to do first and which settings control it. */
import type { Condition } from './condition.ts';

type ConditionExtras = Pick<Condition, 'resource' | 'settings' | 'bringsAbout'>;

const root = (
  name: string,
  category: Condition['category'],
  remedy: string,
  more: ConditionExtras = {},
): Condition => ({
  name,
  category,
  role: 'root',
  remedy,
  ...more,
});
const effect = (
  name: string,
  category: Condition['category'],
  remedy: string,
  more: ConditionExtras = {},
): Condition => ({ name, category, role: 'effect', remedy, ...more });
const good = (name: string): Condition => ({ name, category: 'healthy', role: 'good', remedy: '' });

export const connections = root(
  'connections that are used up',
  'connection_exhaustion',
  'Find who holds connections and give them back; set a limit for each client, or pool them.',
  {
    resource: 'connections',
    settings:
      /max_?(user_)?connections|max_?clients|connection_?limit|pool_?(size|max)|max_?pool|max_?(open|idle)_?conn|reserved_connections|worker_connections|max_?conn\b|channel_max|connection_max/i,
  },
);
export const fullDisk = root(
  'a disk that is full',
  'storage_exhaustion',
  'Free space, or make it larger; find what filled it.',
  {
    resource: 'storage',
    settings:
      /retention|rotate|max_?size|temp_file_limit|max_wal_size|wal_keep|expire_logs|proxy_cache_path|max_slot_wal|quota/i,
    // Databases stop when their disk is full, and recover when there is space.
    bringsAbout: /^(a server that|a machine or a server)/,
  },
);
export const memory = root(
  'memory that is used up',
  'resource_exhaustion',
  'Find what takes the memory, or give it more.',
  {
    resource: 'memory',
    settings:
      /max_?memory|memory|\bmem\b|heap|xmx|shared_buffers|work_mem|buffer_pool_size|high_watermark|oom|eviction|policy/i,
  },
);
export const files = root(
  'no more open files',
  'resource_exhaustion',
  'Raise the limit of open files, and look for what is not closed.',
  { settings: /nofile|open_files|file_limit|ulimit|rlimit|table_open_cache/i },
);
export const certificate = root(
  'a certificate that has expired',
  'infrastructure',
  'Renew the certificate and load it again; look which others expire next.',
  // An expired certificate: only replacing the certificate can be its cause or its remedy.
  {
    settings:
      /cert(ificate)?s?[_./ -]?(file|path|secret|name|arn|id)|\.(pem|crt|cer|p12|jks)\b|not_?after|ca_?bundle/i,
  },
);
export const untrusted = root(
  'a certificate that is not trusted',
  'configuration_error',
  'Look whether the chain, the name and the authority are those that clients expect.',
  { settings: /cert|tls|ssl|ca_?(file|bundle)|verify/i },
);
export const credential = root(
  'a credential that is refused or has expired',
  'configuration_error',
  'Renew the credential, and look which others expire next.',
  {
    settings:
      /pass(word|wd)?|secret|token|user(name)?|requirepass|masterauth|acl|pg_hba|hba|credential|api_?key|auth/i,
    bringsAbout: /^(connections that|workers that|a part that|a probe)/,
  },
);
export const forbidden = root(
  'a right that is missing',
  'configuration_error',
  'Give the role the right that the message names, or take back what took it away.',
  { settings: /grant|revoke|role|permission|privilege|acl|owner|policy|chmod|user/i },
);
export const readOnly = root(
  'a server that takes no writes',
  'infrastructure',
  'Find the primary: after a failover clients may still write to what is now a replica.',
  { settings: /read_?only|replicaof|slaveof|min.?(replicas|slaves)|primary|master|writer|target_session/i },
);
export const starting = root(
  'a server that is starting, stopping or recovering',
  'infrastructure',
  'Look why it restarted, and wait until it is ready.',
);
export const died = root(
  'a server that ended',
  'infrastructure',
  'Read what it wrote last; start it again and look what ended it.',
);
export const failover = root(
  'a failover',
  'infrastructure',
  'Look why it failed over, and whether clients found the new primary.',
);
export const lag = root(
  'a replica that is behind',
  'replication_lag',
  'Find what the replica waits for: writes that are too many, a long transaction, its disk.',
  {
    settings: /max_standby|recovery_min_apply_delay|hot_standby_feedback|slave_parallel|replica|apply_delay/i,
  },
);
export const replication = root(
  'replication that stopped',
  'replication_lag',
  'Repair or rebuild the replica.',
  { settings: /wal_keep|max_slot_wal|replication|slot|replica|slave|binlog|server_id|log_bin/i },
);
export const checkpoints = root(
  'checkpoints that follow each other',
  'checkpoint_io_storm',
  'Raise max_wal_size, and find what writes so much.',
  { settings: /max_wal_size|checkpoint|innodb_log_file_size/i },
);
export const locks = root(
  'locks that are waited for',
  'resource_exhaustion',
  'Find the transaction that holds the lock, and end it.',
  { settings: /lock_?(wait_)?timeout|deadlock_timeout|isolation|for update|lock table|access exclusive/i },
);
export const tooLong = root(
  'statements that are cut off for their time',
  'resource_exhaustion',
  'Look which statement it is and why it takes so long, or raise the limit.',
  {
    settings:
      /statement_?timeout|max_statement_time|max_execution_time|idle_in_transaction|lua.?time|busy_reply/i,
  },
);
export const lowDisk = root(
  'storage that runs out',
  'storage_exhaustion',
  'Make the storage larger, and find what fills it.',
  { resource: 'storage', settings: /disk_free_limit|retention|max_wal_size|rotate|max_?size/i },
);
export const tempSpace = root(
  'a limit of temporary files that was met',
  'storage_exhaustion',
  'Find the statement that sorts or joins so much, or raise the limit.',
  { settings: /temp_file_limit|work_mem|tmp_table_size|max_heap_table_size|tmpdir|sort_buffer/i },
);
export const names = root(
  'names that are not resolved',
  'configuration_error',
  'Look whether the name is right, and at the resolver of the cluster.',
  { settings: /host|server|upstream|resolver|dns|url|endpoint|address|proxy_pass/i },
);
export const hardware = root(
  'hardware that fails',
  'infrastructure',
  'Fail over from the machine and take it out.',
);
export const corrupt = root(
  'data that is damaged',
  'infrastructure',
  'Stop writes, and restore the damaged part from a replica or a backup.',
  { settings: /checksum|fsync|full_page_writes|doublewrite/i },
);
export const queueLimit = root(
  'a limit of what a server takes',
  'resource_exhaustion',
  'Find what does not drain, or raise the limit.',
  {
    settings:
      /max_allowed_packet|client_max_body|body[-_]?size|max_?(body|message|request|header|length)|x-max|overflow|buffer_size|large_client|prefetch|max_connections|limit/i,
  },
);
export const headers = root(
  'an answer that is larger than a buffer',
  'configuration_error',
  'Raise the buffer that the message names, or find what made the headers so large.',
  { settings: /buffers?(_size)?|large_client_header|busy_buffers/i },
);
export const quorum = root(
  'a cluster without a leader',
  'infrastructure',
  'Bring the members back, and look at the network between them.',
  {
    settings: /quorum|cluster|seed|peers|min.?(replicas|slaves)|in.?sync|partition_handling|replicaof|stale/i,
  },
);
export const throttled = root(
  'a quota that was met',
  'resource_exhaustion',
  'Ask for a higher quota, or lower what uses it.',
  { settings: /limit_(req|conn)|rate|burst|quota|throttl|max_queries_per_hour|qps|rps/i },
);
export const wraparound = root(
  'numbers that run out',
  'resource_exhaustion',
  'Vacuum the oldest tables at once, or give the column or sequence a larger type.',
  { settings: /autovacuum|freeze|sequence|maxvalue|smallint|\bint(eger)?\b|bigint|serial|auto_increment/i },
);
export const clock = root(
  'clocks that differ',
  'infrastructure',
  'Bring the clocks together again (NTP), and look which machine is off.',
);
export const workers = root(
  'workers that are used up',
  'resource_exhaustion',
  'Raise the limit, or find what holds them.',
  { settings: /workers?|threads?|max_children|concurrency|executor|processes|max_worker/i },
);
export const config = root(
  'a configuration that is refused',
  'configuration_error',
  'Correct the configuration; the message names the place.',
);
export const missing = root(
  'a setting that is missing',
  'configuration_error',
  'Set what the message names.',
);
export const schema = root(
  'a table or column that is not there',
  'configuration_error',
  'Run the migration that is missing, or take back the one that dropped it.',
  { settings: /drop|rename|alter|migrat|create (table|database|schema|view|role|user)/i },
);
export const noQueue = root(
  'a queue or exchange that is not there',
  'configuration_error',
  'Declare what the message names, or take back what deleted or renamed it.',
  { settings: /queue|exchange|vhost|binding|routing|declare|policy|definitions/i },
);
export const consumers = root(
  'consumers that do not acknowledge in time',
  'resource_exhaustion',
  'Find what keeps the consumers, or raise consumer_timeout.',
  { settings: /consumer_timeout|prefetch|ack|qos/i },
);
export const heartbeat = effect(
  'heartbeats that are missed',
  'infrastructure',
  'Look whether the client is blocked, or the network between them is.',
  { settings: /heartbeat|keep.?alive/i },
);
export const slowDisk = root(
  'a disk that is too slow',
  'resource_exhaustion',
  'Find what writes so much, or move to a faster disk.',
  { settings: /appendfsync|fsync|flush|sync_binlog|io_capacity/i },
);
export const upstreamAway = effect(
  'a server behind a proxy that does not answer',
  'dependency_failure',
  'Look at the server that the message names.',
  { settings: /proxy_(connect|read|send)_timeout|upstream|max_fails|fail_timeout|timeout|server /i },
);
export const gone = effect(
  'a connection that a server closed',
  'infrastructure',
  'Look in the log of the server what it says of that moment.',
  { settings: /wait_timeout|idle|keep.?alive|timeout|output.?buffer|max_allowed_packet/i },
);
export const health = root('a machine that fails its checks', 'infrastructure', 'Replace the machine.');
export const recovered = good('what was wrong is over');
