/** What systems answered, kept as they answered it. */
import { describe, expect, it } from 'vitest';
import { reportsOf } from './reports.ts';

describe('answers of systems', () => {
  it('events, with what they are of', () => {
    const { events } = reportsOf('eks_events.json', {
      warning_events: [
        {
          namespace: 'pay',
          reason: 'BackOff',
          message: 'Back-off restarting',
          type: 'Warning',
          count: 6,
          involved_object: 'Pod/pay-1',
          first_time: '2026-04-18T10:32:00Z',
          last_time: '2026-04-18T10:45:00Z',
        },
      ],
    });
    expect(events).toEqual([
      {
        at: Date.parse('2026-04-18T10:45:00Z'),
        service: 'pay-1',
        level: 'WARN',
        text: 'Pod pay-1 BackOff: Back-off restarting (6 times)',
      },
    ]);
  });
  it('logs in a list, and logs as one text', () => {
    expect(
      reportsOf('datadog_logs.json', {
        logs: [{ timestamp: '2026-04-18T10:30:01Z', message: 'boom', status: 'error', service: 'pay' }],
      }).logs,
    ).toEqual([{ at: Date.parse('2026-04-18T10:30:01Z'), service: 'pay', level: 'ERROR', text: 'boom' }]);
    expect(
      reportsOf('eks_pod_logs.json', {
        pod_name: 'pay-1',
        logs: '2026-04-18T10:30:01Z FATAL no DSN\n[ended]\n',
      }).logs,
    ).toEqual([
      { at: Date.parse('2026-04-18T10:30:01Z'), service: 'pay-1', level: 'FATAL', text: 'FATAL no DSN' },
      { at: Date.parse('2026-04-18T10:30:01Z'), service: 'pay-1', level: null, text: '[ended]' },
    ]);
  });
  it('objects with what is within them, each condition by its type', () => {
    const { objects } = reportsOf('eks_pods.json', {
      pods: [
        {
          name: 'pay-1',
          containers: [{ name: 'pay', ready: false, state: { reason: 'CrashLoopBackOff' } }],
          conditions: [{ type: 'Ready', status: 'False' }],
        },
      ],
    });
    expect(objects).toEqual([
      expect.objectContaining({
        kind: 'pod',
        name: 'pay-1',
        'containers.pay.state.reason': 'CrashLoopBackOff',
        'conditions.Ready.status': 'False',
      }),
    ]);
  });
  it('samples as series, monitors as what watches', () => {
    const samples = [
      { ts: '2026-04-02T09:00:00Z', ready_pods: 12 },
      { ts: '2026-04-02T09:04:00Z', ready_pods: 48 },
    ];
    expect(reportsOf('k8s_pod_metrics.json', { service: 'pay', samples }).series).toEqual([
      {
        name: 'ready_pods',
        labels: { service: 'pay' },
        points: [
          [Date.parse('2026-04-02T09:00:00Z'), 12],
          [Date.parse('2026-04-02T09:04:00Z'), 48],
        ],
      },
    ]);
    expect(
      reportsOf('datadog_monitors.json', { monitors: [{ name: 'm', overall_state: 'Alert' }] }).monitors,
    ).toHaveLength(1);
  });
  it('times in a list beside their values are read as series elsewhere, and are no object', () => {
    const found = reportsOf('aws_cloudwatch_metrics.json', {
      period: 60,
      metric_data_results: [{ label: 'CPU', timestamps: ['2026-04-02T09:00:00Z'], values: [1] }],
    });
    expect(found.objects).toEqual([]);
  });
});
