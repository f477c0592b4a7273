/** Elasticsearch, MongoDB, etcd. */
import * as to from '../conditions.ts';
import { rulesOf } from './rule.ts';

export const stores = [
  ...rulesOf('Elasticsearch', [
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
  ...rulesOf('MongoDB', [
    [/NotWritablePrimary|not master and slaveOk|NotPrimaryNoSecondaryOk/i, to.readOnly],
    [/WriteConflict|LockTimeout/, to.locks],
    [/ExceededMemoryLimit/, to.memory],
  ]),
  ...rulesOf('etcd', [
    [/mvcc: database space exceeded/i, to.fullDisk],
    [/etcdserver: (no leader|leader changed)/i, to.quorum],
  ]),
];
