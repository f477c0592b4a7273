/** Events of RDS that report problem, by the descriptions in its guide (USER_Events.Messages). */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const rds = createRules(null, [
  [
    /reached the storage[- ]full threshold|allocated storage (?:for the DB (?:instance|cluster) )?has been (?:consumed|exhausted)/i,
    conditions.fullDisk,
  ],
  [
    /free storage capacity for DB (?:instance|cluster).{0,80}\bis low|consumed more than \d+ ?% of its allocated storage|storage subsystem is running low|storage autoscaling is unable|maximum storage threshold|exceeded the allowed storage quota|storage modification encountered/i,
    conditions.lowDisk,
  ],
  [/burst balance credits .{0,60}\blow\b/i, conditions.slowDisk],
  [/run(?:ning)? critically low on memory/i, conditions.memory],
  [
    /error (?:has )?occurred while restarting|has failed due to an incompatible configuration/i,
    conditions.died,
  ],
  [
    /(?:has|put into) (?:invalid|incompatible)[- ]parameters|incompatible[- ]network|can't be upgraded|unable to associate the option group/i,
    conditions.config,
  ],
  [
    /IAM role .{0,160}\b(?:is )?configured incorrectly|cannot be enabled without the .{0,40}IAM role|(?:unable to access|can't access) the KMS/i,
    conditions.forbidden,
  ],
  [
    /failover (?:for|to|of) the (?:DB cluster|global database).{0,40}|global (?:database )?failover\b|failover that resulted in the promotion/i,
    conditions.failover,
  ],
  [/primary instance .{0,40}isn't accepting writes/i, conditions.readOnly],
  [/a replication lag is occurring/i, conditions.lag],
  [
    /error (?:has )?occurred in the read replication process|replication on the read replica was (?:terminated|manually stopped)/i,
    conditions.replication,
  ],
  [
    /recovery of the (?:DB|multi-AZ) instance has started|offline maintenance .{0,60}\btaking place|multi-AZ activation has started|DB instance (?:is )?(?:restarted|shut ?down|being started|has been stopped)\b/i,
    conditions.starting,
  ],
  [/aren't enough IP addresses available/i, conditions.queueLimit],
  [
    /recovery of the (?:DB|multi-AZ) instance is complete|multi-AZ activation is complete|recovered from a partial failover|offline maintenance .{0,60}\bis complete|read replica has resumed replication/i,
    conditions.recovered,
  ],
]);
