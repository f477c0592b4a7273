import type { SchemaStep } from './schema.ts';

export const lostJobsStep: SchemaStep = {
  name: 'an index of jobs that were lost before',
  sql: `
    -- Without it, each claim looks through all that wait for those few.
    CREATE INDEX queue_jobs_lost ON queue_jobs (topic, team, shape, needs, priority, due, id)
      WHERE state = 'waiting' AND deaths > 0;
  `,
};
