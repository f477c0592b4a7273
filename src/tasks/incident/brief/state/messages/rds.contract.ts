/** Trouble as the guide of RDS words its events: the number of the event, its message, the state. */
export const rdsTrouble: readonly (readonly [event: string, message: string, state: string])[] = [
  [
    '0221',
    'The DB instance has reached the storage-full threshold, and the database has been shut down.',
    'a disk that is full',
  ],
  ['0007', 'The allocated storage for the DB instance has been consumed.', 'a disk that is full'],
  [
    '0222',
    'Free storage capacity for DB instance orders-db is low at 3% of the allocated storage',
    'storage that runs out',
  ],
  ['0089', 'The DB instance has consumed more than 90% of its allocated storage.', 'storage that runs out'],
  [
    '0224',
    'a pending scale storage task that would reach the maximum storage threshold',
    'storage that runs out',
  ],
  [
    '0254',
    'The storage for your AWS account has exceeded the allowed storage quota.',
    'storage that runs out',
  ],
  ['0189', 'The gp2 burst balance credits for the RDS database instance are low.', 'a disk that is too slow'],
  ['0022', 'An error has occurred while restarting MySQL.', 'a server that ended'],
  [
    '0031',
    'The DB instance has failed due to an incompatible configuration or an underlying storage issue.',
    'a server that ended',
  ],
  ['0035', 'The DB instance has invalid parameters.', 'a configuration that is refused'],
  ['0036', 'The DB instance is in an incompatible network.', 'a configuration that is refused'],
  [
    '0079',
    'Enhanced Monitoring cannot be enabled without the enhanced monitoring IAM role.',
    'a right that is missing',
  ],
  ['0069', 'A failover for the DB cluster has failed.', 'a failover'],
  [
    '0013',
    'A Multi-AZ failover that resulted in the promotion of a standby instance has started.',
    'a failover',
  ],
  [
    '0182',
    "The old primary instance in the global database isn't accepting writes.",
    'a server that takes no writes',
  ],
  ['0403', 'The workload is causing the system to run critically low on memory.', 'memory that is used up'],
  ['0183', 'A replication lag is occurring during the synchronization phase', 'a replica that is behind'],
  ['0045', 'An error has occurred in the read replication process.', 'replication that stopped'],
  ['0057', 'Replication on the read replica was terminated.', 'replication that stopped'],
  ['0006', 'The DB instance restarted.', 'a server that is starting, stopping or recovering'],
  [
    '0026',
    'Offline maintenance of the DB instance is taking place.',
    'a server that is starting, stopping or recovering',
  ],
  ['0020', 'Recovery of the DB instance has started.', 'a server that is starting, stopping or recovering'],
  [
    '0243',
    "couldn't provision capacity for the proxy because there aren't enough IP addresses available",
    'a limit of what a server takes',
  ],
];

export const rdsWell: readonly (readonly [event: string, message: string])[] = [
  ['0053', 'Recovery of the Multi-AZ instance is complete.'],
  ['0051', 'A Multi-AZ activation is complete. Your database should be accessible now.'],
  ['0027', 'Offline maintenance of the DB instance is complete.'],
];
