/** How the tables of conversations, schedules and jobs are moved. */

import { escapeNul } from '../escape-nul.ts';
import type { MovedTable } from './moved-tables.ts';

export const movedSessions: readonly MovedTable[] = [
  {
    name: 'audit',
    key: ['id'],
    columns: {
      ...{ id: 'text', at: 'bigint', actor: 'text', team: 'text' },
      ...{ act: 'text', target: 'text', result: 'text' },
    },
    toServerRow: ({ actor, team, target, ...row }) => ({
      ...row,
      actor: escapeNul(String(actor)),
      team: escapeNul(String(team)),
      target: escapeNul(String(target)),
    }),
  },
  {
    name: 'channels',
    key: ['id'],
    columns: { id: 'text', title: 'text', created: 'bigint' },
  },
  {
    name: 'threads',
    key: ['id'],
    columns: { id: 'text', title: 'text', channel: 'text', created: 'bigint', updated: 'bigint' },
  },
  {
    name: 'langgraph_checkpoints',
    key: ['seq'],
    columns: {
      ...{ seq: 'bigint', thread_id: 'text', checkpoint_ns: 'text', checkpoint_id: 'text' },
      ...{ parent_checkpoint_id: 'text', checkpoint: 'text', metadata: 'text', channel_values: 'text' },
    },
    counter: 'seq',
  },
  {
    name: 'langgraph_writes',
    key: ['thread_id', 'checkpoint_ns', 'checkpoint_id', 'task_id', 'idx'],
    columns: {
      ...{ thread_id: 'text', checkpoint_ns: 'text', checkpoint_id: 'text', task_id: 'text', idx: 'bigint' },
      ...{ task_path: 'text', channel: 'text', value: 'text' },
    },
  },
  {
    name: 'langgraph_lists',
    key: ['thread_id', 'id'],
    columns: {
      ...{ thread_id: 'text', id: 'bigint', base: 'bigint', kept: 'bigint', depth: 'bigint', items: 'text' },
    },
  },
  {
    name: 'langgraph_pieces',
    key: ['thread_id', 'id'],
    columns: {
      thread_id: 'text',
      id: 'bigint',
      hash: 'bytea',
      type: 'text',
      words: 'text',
      bytes: 'bytea',
    },
    fileColumns: ['thread_id', 'id', 'hash', 'type', 'data'],
    toServerRow: ({ data, ...row }) => ({
      ...row,
      words: data instanceof Uint8Array ? null : JSON.stringify(String(data)),
      bytes: data instanceof Uint8Array ? data : null,
    }),
  },
  {
    name: 'roles',
    key: ['level', 'within'],
    columns: { level: 'text', within: 'text', content: 'text', applies_to: 'text' },
  },
  {
    name: 'schedules',
    key: ['id'],
    columns: { id: 'text', schedule: 'text', enabled: 'bigint', next: 'bigint', created: 'bigint' },
  },
  {
    name: 'queue_jobs',
    key: ['id'],
    columns: {
      ...{
        id: 'bigint',
        topic: 'text',
        key: 'text',
        job_group: 'text',
        in_turn: 'bigint',
        priority: 'bigint',
      },
      ...{ due: 'bigint', team: 'text', shape: 'text', needs: 'text', payload: 'text', state: 'text' },
      ...{
        attempts: 'bigint',
        deaths: 'bigint',
        fence: 'bigint',
        kept: 'text',
        result: 'text',
        error: 'text',
      },
      ...{ created: 'bigint', updated: 'bigint' },
    },
    // A running job waits again, since no worker is left.
    toServerRow: ({ key, job_group: group, state, ...row }) => ({
      ...row,
      key: escapeNul(String(key)),
      job_group: group === null ? null : escapeNul(String(group)),
      state: state === 'running' ? 'waiting' : state,
    }),
    counter: 'id',
  },
  {
    name: 'queue_rules',
    key: ['topic', 'team', 'shape'],
    columns: { topic: 'text', team: 'text', shape: 'text', max: 'bigint', paused: 'bigint' },
  },
];

/** The tables in the file of the alerts: alerts, deliveries, and the jobs of the groups. */
export const movedAlerts: readonly MovedTable[] = [
  ...movedSessions.filter(({ name }) => name === 'queue_jobs' || name === 'queue_rules'),
  {
    name: 'alerts',
    key: ['id'],
    columns: {
      ...{ id: 'bigint', alert_group: 'bigint', fingerprint: 'text' },
      ...{ received: 'bigint', sent: 'text', state: 'text' },
    },
    json: ['sent'],
    toServerRow: ({ fingerprint, ...row }) => ({ ...row, fingerprint: escapeNul(String(fingerprint)) }),
    counter: 'id',
  },
  {
    name: 'alert_deliveries',
    key: ['delivery'],
    columns: { delivery: 'text', received: 'bigint', taken: 'text' },
  },
];
