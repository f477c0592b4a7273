/** Redis, by its reply codes and log lines; Elasticsearch, MongoDB, etcd. */
import * as to from '../conditions.ts';
import { createRules } from './rule.ts';

export const stores = [
  ...createRules('Redis', [
    [/command not allowed when used memory/i, to.memory],
    [/can't save in background: fork: cannot allocate memory/i, to.memory],
    [/\bMISCONF\b|background saving error|write error saving DB|error writing to the AOF/i, to.fullDisk],
    [/max number of clients reached/i, to.connections],
    [/\bREADONLY\b.*(read only|replica)/i, to.readOnly],
    [/\bLOADING\b redis is loading/i, to.starting],
    [/user requested shutdown|redis is now ready to exit|crashed by signal/i, to.died],
    [
      /\bCLUSTERDOWN\b|\bMASTERDOWN\b|\bNOREPLICAS\b|connection with master lost|error condition on socket for sync/i,
      to.quorum,
    ],
    [
      /\b(NOAUTH|WRONGPASS)\b|invalid password|invalid username-password pair|authentication required\b|unable to AUTH to MASTER/i,
      to.credential,
    ],
    [/\bNOPERM\b|running in protected mode/i, to.forbidden],
    [/\bBUSY\b redis is busy running a script|slow script detected/i, to.tooLong],
    [/overcoming of output buffer limits/i, to.queueLimit],
    [/asynchronous AOF fsync is taking too long/i, to.slowDisk],
    [/ERR unknown command|wrong number of arguments for '/i, to.config],
  ]),
  ...createRules('Elasticsearch', [
    [
      /flood[- ]stage (?:disk )?watermark(?: \[[^\]]*\] exceeded on \[[^\]]*\]\[(?<object>[^\]]+)\])?|index read-only \/ allow delete|FORBIDDEN\/12/i,
      to.fullDisk,
    ],
    [/circuit_breaking_exception|CircuitBreakingException/, to.memory],
    [/es_rejected_execution_exception|EsRejectedExecution/, to.queueLimit],
    [/cluster_block_exception|master_not_discovered/i, to.quorum],
    [
      /this cluster currently has \[\d+\]\/\[\d+\] maximum (normal )?shards open|too_many_clauses/i,
      to.queueLimit,
    ],
  ]),
  ...createRules('MongoDB', [
    [/NotWritablePrimary|not master and slaveOk|NotPrimaryNoSecondaryOk/i, to.readOnly],
    [/WriteConflict|LockTimeout/, to.locks],
    [/ExceededMemoryLimit/, to.memory],
  ]),
  ...createRules('etcd', [
    [/mvcc: database space exceeded/i, to.fullDisk],
    [/etcdserver: (no leader|leader changed)/i, to.quorum],
  ]),
];
