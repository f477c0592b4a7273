/** MySQL and MariaDB, by their error messages and their error log. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const mysql = createRules('MySQL', [
  [
    /\b(1040|08004)\b.*too many connections|too many connections\b|has exceeded the '?max_user_connections|can't create (a )?new thread|more than 'max_user_connections'/i,
    conditions.connections,
  ],
  [/host '[^']+' is blocked because of many connection errors/i, conditions.connections],
  [
    /has exceeded the '(max_queries_per_hour|max_updates_per_hour|max_connections_per_hour)'/i,
    conditions.throttled,
  ],
  [
    /the table '[^']+' is full|\b1114\b.*full|disk is full writing|got error 28 from storage engine|errno: 28\b|OS errno 28/i,
    conditions.fullDisk,
  ],
  [/--(super-)?read-only option|running with the --(super-)?read[-_]only/i, conditions.readOnly],
  [
    /lock wait timeout exceeded|deadlock found when trying to get lock|waiting for table metadata lock/i,
    conditions.locks,
  ],
  [/max_statement_time exceeded|maximum statement execution time exceeded/i, conditions.tooLong],
  [/access denied for user '|authentication plugin .*cannot be loaded/i, conditions.credential],
  [/\w+ command denied to user/i, conditions.forbidden],
  [/got a packet (that is )?bigger than 'max_allowed_packet'/i, conditions.queueLimit],
  [
    /out of sort memory|out of memory;|cannot allocate memory for the buffer pool|out of memory \(needed/i,
    conditions.memory,
  ],
  [
    /failed to read auto-increment value(?:.*?INSERT INTO `?(?<object>\w+))?|out of range value for column|duplicate entry '(127|255|32767|65535|8388607|16777215|2147483647|4294967295)' for key/i,
    conditions.wraparound,
  ],
  [
    /(slave|replica) (sql|i\/o|io)( thread)?.*(stopped|error|failed)|seconds_behind_(master|source)\W+\d{3,}|got fatal error 1236/i,
    conditions.replication,
  ],
  [/wsrep has not yet prepared node|non-primary (view|component)/i, conditions.quorum],
  [/unknown column '[^']+' in|table '[^']+' doesn't exist|unknown database '/i, conditions.schema],
  [
    /is marked as crashed and should be repaired|index .*is corrupt|InnoDB: .*(corrupt|checksum)/i,
    conditions.corrupt,
  ],
  [/(mysqld|mariadbd)(\.exe)?: (normal shutdown|shutdown complete|got signal)/i, conditions.starting],
  [
    /(mysql )?server has gone away|lost connection to (mysql )?server|server shutdown in progress/i,
    conditions.gone,
  ],
]);
