/** Built-in schedules, which do nothing until they are enabled. */
import type { Schedule } from '../store/index.ts';

type BuiltInSchedule = Pick<Schedule, 'id' | 'prompt' | 'limits'> & {
  readonly cron: string;
  readonly about: string;
};

export const builtInSchedules: readonly BuiltInSchedule[] = [
  {
    id: 'morning-digest',
    about: 'each morning: what changed, what waits, what is due',
    cron: '0 7 * * *',
    limits: { usd: 0.5 },
    prompt: [
      'Write the digest of this morning, in at most 15 lines.',
      'Look up the pages that changed since this schedule ran the time before (since yesterday, where it never did), and read those that matter.',
      'Say what is new and what was decided, with the paths of the pages; then what waits for the person (the inbox), and what the pages say is due today or late.',
      'Where nothing changed, say so in one line. Write no page. Ask the person only where an answer changes what they would do today.',
    ].join('\n'),
  },
  {
    id: 'drift-digest',
    about: 'each morning: what drifted since yesterday in the systems that are configured',
    cron: '15 7 * * *',
    limits: { usd: 0.5 },
    prompt: [
      'Say in at most 15 lines what drifted in the systems since this schedule ran the time before (since yesterday, where it never did).',
      'Hand that on once, as a task of the shape drift, with that time as its `since`. Where there is no such shape, no system is configured: say so in one line, and that `sonde init incident` sets one up.',
      'Keep to what came back, with its citations: what moved, since when, from what to what, and what was not looked at. Name no cause that nobody looked for.',
      'Where nothing moved, say so in one line. Write no page.',
    ].join('\n'),
  },
  {
    id: 'memory-consolidation',
    about: 'each Sunday night: what is remembered, without what is said twice or is over',
    cron: '0 3 * * 0',
    limits: { usd: 0.5 },
    prompt: [
      'Consolidate what is remembered in the tier workspace.',
      'List it. Put items that say the same under one key, and forget the others; forget what its own text says is over by now.',
      'Keep every fact that is still of use, in the words it has. Do not add anything that is not there, and touch no other tier.',
      'Where two items contradict each other, leave both and ask the person which one holds.',
      'End with the keys that you changed and forgot, one line each.',
    ].join('\n'),
  },
];

export function findBuiltInSchedule(id: string, zone: string): Schedule | null {
  const schedule = builtInSchedules.find((ready) => ready.id === id);
  if (schedule === undefined) return null;
  const { prompt, limits, cron } = schedule;
  return {
    ...{ id, prompt, limits, thread: null, missed: 'once', jitterMs: 0, enabled: true },
    trigger: { kind: 'cron', expression: cron, zone },
    together: { running: 1, perDay: 2 },
  };
}
