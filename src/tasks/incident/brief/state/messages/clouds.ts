/** Managed databases and machines of clouds: events of RDS and similar services. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const clouds = createRules(null, [
  [
    /(ran out of|running out of|has exhausted its|insufficient) storage( space)?|storage[- ]full/i,
    conditions.fullDisk,
  ],
  [
    /(storage|disk)( space)? is (critically )?low|low (on )?(free )?storage|free storage .* is low|allocated storage .*exhausted/i,
    conditions.lowDisk,
  ],
  [
    /(approaching|reached|exceeded|at) (the )?(max_connections|maximum (number of )?connections|connection limit)|max_connections (limit )?(reached|exceeded)/i,
    conditions.connections,
  ],
  [
    /failover (has )?(started|initiated|completed|in progress|complete)|multi-az (instance )?failover|(started|completed) failover|promot(ed|ing) (standby|replica|slave|secondary)|(standby|replica|slave|secondary)\b.{0,40}\bpromot(ed|ing)|(was |been )?elected (as )?(new )?(leader|primary|master)|new (primary|master|leader) (is|elected)|switch(ed)?-?over (to|completed|started)/i,
    conditions.failover,
  ],
  [
    /replica(tion)? (lag|delay).*(exceed|high|behind|growing|above|increas)|replica is (falling )?behind/i,
    conditions.lag,
  ],
  [/replication (has )?(stopped|failed|broken|error)|read replica .*error/i, conditions.replication],
  [
    /(instance|system) status checks? (has |have )?failed|impaired|instance .*(retire|scheduled for (stop|retirement))|spot instance (interruption|termination)/i,
    conditions.health,
  ],
  [/Target\.(FailedHealthChecks|Timeout|ResponseCodeMismatch)|Elb\.InternalError/, conditions.health],
  [
    /\b(has )?recovered\b|autoscaling (has )?(been )?completed|(?<!\bupdate )is (now )?(available|healthy|ready)( again)?\b|back to normal|resource limit alarm (is )?cleared|returned to (ready|normal|healthy)|rolled back|rollback (was )?successful/i,
    conditions.recovered,
  ],
]);
