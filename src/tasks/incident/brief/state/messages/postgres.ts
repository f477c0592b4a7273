/** Messages of PostgreSQL: the texts of its SQLSTATEs and of its server log. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const postgres = createRules('PostgreSQL', [
  [
    /sorry, too many clients already|remaining connection slots are reserved|too many connections for (role|database)|could not fork new process for connection/i,
    conditions.connections,
  ],
  [/could not (extend|write)( to)? file .*no space left/i, conditions.fullDisk],
  [/temporary file size exceeds temp_file_limit/i, conditions.tempSpace],
  [
    /server process .*was terminated by signal|terminating connection because of crash of another server process|all server processes terminated/i,
    conditions.died,
  ],
  [
    /the database system is (starting up|shutting down|in recovery mode|not yet accepting connections)|received (fast|smart|immediate) shutdown request/i,
    conditions.starting,
  ],
  [/cannot execute \w+(?: \w+)? in a read-only transaction/i, conditions.readOnly],
  [/checkpoints are occurring too frequently/i, conditions.checkpoints],
  [
    /database is not accepting commands .*wraparound|must be vacuumed within|reached maximum value of sequence(?: "(?<object>[^"<]+)")?|\b(integer|smallint) out of range/i,
    conditions.wraparound,
  ],
  [
    /requested WAL segment \S+ has already been removed|terminating walreceiver|could not receive data from WAL stream|replication slot .*(invalidat|does not exist)|could not start WAL streaming/i,
    conditions.replication,
  ],
  [/canceling statement due to conflict with recovery/i, conditions.lag],
  [
    /password authentication failed for user|no pg_hba\.conf entry for|role "[^"]+" does not exist/i,
    conditions.credential,
  ],
  [
    /permission denied for (table|relation|schema|database|sequence|function|view)|must be owner of/i,
    conditions.forbidden,
  ],
  [
    /canceling statement due to lock timeout|deadlock detected|still waiting for \w+Lock on|could not obtain lock on/i,
    conditions.locks,
  ],
  [/canceling statement due to statement timeout|idle-in-transaction timeout/i, conditions.tooLong],
  [
    /(relation|column|database|schema) "[^"\n]+"(?: of relation "[^"]+")? does not exist|function \w+\([^)\n]*\) does not exist/i,
    conditions.schema,
  ],
  [
    /could not resize shared memory segment|out of shared memory|out of memory.*(Failed on request|DETAIL)/is,
    conditions.memory,
  ],
  [
    /invalid page in block|checksum (verification )?fail|could not read block|unexpected zero page/i,
    conditions.corrupt,
  ],
  [
    /server closed the connection unexpectedly|terminating connection due to administrator command/i,
    conditions.gone,
  ],
]);
