import type { SchemaStep } from './schema.ts';

export const lostJobsStep: SchemaStep = {
  name: 'an index of jobs that were lost before',
  sql: `
    -- Without it, each claim reads all waiting jobs to find the few that were lost before.
    CREATE INDEX queue_jobs_lost ON queue_jobs (topic, team, shape, needs, priority, due, id)
      WHERE state = 'waiting' AND deaths > 0;
  `,
};
