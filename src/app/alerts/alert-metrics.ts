/** Metrics of the intake: alerts by sender and outcome, groups by state, and the wait of the oldest waiting group. */
import type { Meter } from '@opentelemetry/api';
import { type Clock, systemClock } from '../../core/index.ts';
import { type AlertGroups, groupStates } from './groups.ts';
import type { Receipt } from './queue.ts';

export interface AlertTally {
  /** `sender`: one of the names that Sonde knows. */
  add(receipt: Receipt): void;
  /** Counts a message that was refused before its alerts were read. */
  refuse(sender: string, outcome: string): void;
  measure(meter: Meter, groups: Pick<AlertGroups, 'counts' | 'oldestWaiting'>): void;
}

/** Counts alerts from the start of the process, even while nothing reads the metrics. */
export function createAlertTally(clock: Clock = systemClock): AlertTally {
  const counts = new Map<string, number>();
  const count = (sender: string, outcome: string, amount = 1): void => {
    const key = `${sender} ${outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + amount);
  };
  return {
    refuse: count,
    add({ taken, refused, repeated }) {
      if (repeated) {
        for (const { sender } of taken) count(sender, 'repeated');
        return;
      }
      for (const { sender, state } of taken) count(sender, state);
      for (const { code, index, through = index } of refused) count('unknown', code, through - index + 1);
    },
    measure(meter, groups) {
      meter
        .createObservableCounter('sonde_alerts', { description: 'Alerts by sender and outcome.' })
        .addCallback((result) => {
          for (const [key, value] of counts) {
            const [sender = '', outcome = ''] = key.split(' ');
            result.observe(value, { sender, outcome });
          }
        });
      meter
        .createObservableGauge('sonde_alert_groups', { description: 'Groups of alerts by state.' })
        .addCallback(async (result) => {
          const groupCounts = await groups.counts();
          for (const state of groupStates) result.observe(groupCounts[state], { state });
        });
      meter
        .createObservableGauge('sonde_alert_group_oldest_waiting_seconds', {
          description:
            'How long the oldest waiting group has waited for its investigation; 0 if no group waits.',
        })
        .addCallback(async (result) => {
          const oldestSince = await groups.oldestWaiting();
          result.observe(oldestSince === null ? 0 : Math.max(0, clock.now() - oldestSince) / 1_000);
        });
    },
  };
}
