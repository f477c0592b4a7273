/** Redis, by its reply codes and log lines; Elasticsearch, MongoDB, etcd. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const stores = [
  ...createRules('Redis', [
    [/command not allowed when used memory/i, conditions.memory],
    [/can't save in background: fork: cannot allocate memory/i, conditions.memory],
    [
      /\bMISCONF\b|background saving error|write error saving DB|error writing to the AOF/i,
      conditions.fullDisk,
    ],
    [/max number of clients reached/i, conditions.connections],
    [/\bREADONLY\b.*(read only|replica)/i, conditions.readOnly],
    [/\bLOADING\b redis is loading/i, conditions.starting],
    [/user requested shutdown|redis is now ready to exit|crashed by signal/i, conditions.died],
    [
      /\bCLUSTERDOWN\b|\bMASTERDOWN\b|\bNOREPLICAS\b|connection with master lost|error condition on socket for sync/i,
      conditions.quorum,
    ],
    [
      /\b(NOAUTH|WRONGPASS)\b|invalid password|invalid username-password pair|authentication required\b|unable to AUTH to MASTER/i,
      conditions.credential,
    ],
    [/\bNOPERM\b|running in protected mode/i, conditions.forbidden],
    [/\bBUSY\b redis is busy running a script|slow script detected/i, conditions.tooLong],
    [/overcoming of output buffer limits/i, conditions.queueLimit],
    [/asynchronous AOF fsync is taking too long/i, conditions.slowDisk],
    [/ERR unknown command|wrong number of arguments for '/i, conditions.config],
  ]),
  ...createRules('Elasticsearch', [
    [
      /flood[- ]stage (?:disk )?watermark(?: \[[^\]]*\] exceeded on \[[^\]]*\]\[(?<object>[^\]]+)\])?|index read-only \/ allow delete|FORBIDDEN\/12/i,
      conditions.fullDisk,
    ],
    [/circuit_breaking_exception|CircuitBreakingException/, conditions.memory],
    [/es_rejected_execution_exception|EsRejectedExecution/, conditions.queueLimit],
    [/cluster_block_exception|master_not_discovered/i, conditions.quorum],
    [
      /this cluster currently has \[\d+\]\/\[\d+\] maximum (normal )?shards open|too_many_clauses/i,
      conditions.queueLimit,
    ],
  ]),
  ...createRules('MongoDB', [
    [/NotWritablePrimary|not master and slaveOk|NotPrimaryNoSecondaryOk/i, conditions.readOnly],
    [/WriteConflict|LockTimeout/, conditions.locks],
    [/ExceededMemoryLimit/, conditions.memory],
  ]),
  ...createRules('etcd', [
    [/mvcc: database space exceeded/i, conditions.fullDisk],
    [/etcdserver: (no leader|leader changed)/i, conditions.quorum],
  ]),
];
