/** RabbitMQ, Kafka and other message brokers. */
import * as conditions from '../conditions.ts';
import { createRules } from './rule.ts';

export const brokers = [
  ...createRules('RabbitMQ', [
    [
      /memory resource limit alarm (is )?set|vm_memory_high_watermark set|memory (resource limit )?alarm|low on memory/i,
      conditions.memory,
    ],
    [
      /disk resource limit alarm (is )?set|free (disk )?space is (running )?(low|insufficient)|disk_free_limit|disk (resource limit )?alarm|low on disk/i,
      conditions.lowDisk,
    ],
    [/file descriptor limit alarm set/i, conditions.files],
    [
      /connection limit \(\d+\) is reached|vhost connection limit|number of channels opened .*has reached/i,
      conditions.connections,
    ],
    [/connection\.blocked|publishers will be blocked|connection .*is blocked/i, conditions.queueLimit],
    [/message (size|too) .*(larger|exceeds|large)|PRECONDITION_FAILED.*larger than/i, conditions.queueLimit],
    [/basic\.nack|rejected.*max-?length|reject-publish/i, conditions.queueLimit],
    [/delivery acknowledgement on channel .*timed out|consumer ack timed out/i, conditions.consumers],
    [
      /ACCESS_REFUSED.*(login|credential|authenticat)|PLAIN login refused|invalid credentials/i,
      conditions.credential,
    ],
    [/ACCESS_REFUSED/, conditions.forbidden],
    [/PRECONDITION_FAILED.*inequivalent arg/, conditions.config],
    [
      /NOT_FOUND - (no )?(queue|exchange|vhost|binding)|vhost '?[^' ]+'? (not found|is down)/i,
      conditions.noQueue,
    ],
    [
      /partitioned network|inconsistent_database|mnesia.*(overloaded|inconsistent)|network partition/i,
      conditions.quorum,
    ],
    [/CONNECTION_FORCED|broker forced connection closure/i, conditions.gone],
    [/missed heartbeats from client/i, conditions.heartbeat],
  ]),
  ...createRules('Kafka', [
    [
      /NOT_ENOUGH_REPLICAS|NotEnoughReplicas|NotLeaderFor(Partition|OrFollower)|LEADER_NOT_AVAILABLE|CoordinatorNotAvailable/,
      conditions.quorum,
    ],
    [/RecordTooLarge|MESSAGE_TOO_LARGE/, conditions.queueLimit],
    [/UNKNOWN_TOPIC_OR_PART|UnknownTopicOrPartition/, conditions.noQueue],
    [/OffsetOutOfRange/, conditions.config],
  ]),
];
