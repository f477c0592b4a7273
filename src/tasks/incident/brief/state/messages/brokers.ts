/** RabbitMQ, Kafka and other message brokers. */
import * as to from '../conditions.ts';
import { createRules } from './rule.ts';

export const brokers = [
  ...createRules('RabbitMQ', [
    [
      /memory resource limit alarm (is )?set|vm_memory_high_watermark set|memory (resource limit )?alarm|low on memory/i,
      to.memory,
    ],
    [
      /disk resource limit alarm (is )?set|free (disk )?space is (running )?(low|insufficient)|disk_free_limit|disk (resource limit )?alarm|low on disk/i,
      to.lowDisk,
    ],
    [/file descriptor limit alarm set/i, to.files],
    [
      /connection limit \(\d+\) is reached|vhost connection limit|number of channels opened .*has reached/i,
      to.connections,
    ],
    [/connection\.blocked|publishers will be blocked|connection .*is blocked/i, to.queueLimit],
    [/message (size|too) .*(larger|exceeds|large)|PRECONDITION_FAILED.*larger than/i, to.queueLimit],
    [/basic\.nack|rejected.*max-?length|reject-publish/i, to.queueLimit],
    [/delivery acknowledgement on channel .*timed out|consumer ack timed out/i, to.consumers],
    [
      /ACCESS_REFUSED.*(login|credential|authenticat)|PLAIN login refused|invalid credentials/i,
      to.credential,
    ],
    [/ACCESS_REFUSED/, to.forbidden],
    [/PRECONDITION_FAILED.*inequivalent arg/, to.config],
    [/NOT_FOUND - (no )?(queue|exchange|vhost|binding)|vhost '?[^' ]+'? (not found|is down)/i, to.noQueue],
    [
      /partitioned network|inconsistent_database|mnesia.*(overloaded|inconsistent)|network partition/i,
      to.quorum,
    ],
    [/CONNECTION_FORCED|broker forced connection closure/i, to.gone],
    [/missed heartbeats from client/i, to.heartbeat],
  ]),
  ...createRules('Kafka', [
    [
      /NOT_ENOUGH_REPLICAS|NotEnoughReplicas|NotLeaderFor(Partition|OrFollower)|LEADER_NOT_AVAILABLE|CoordinatorNotAvailable/,
      to.quorum,
    ],
    [/RecordTooLarge|MESSAGE_TOO_LARGE/, to.queueLimit],
    [/UNKNOWN_TOPIC_OR_PART|UnknownTopicOrPartition/, to.noQueue],
    [/OffsetOutOfRange/, to.config],
  ]),
];
