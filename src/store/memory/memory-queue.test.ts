import { queueContract } from '../queue/queue.contract.ts';
import { type HeldJobs, memoryQueue } from './memory-queue.ts';

queueContract('in memory', () => {
  const jobs: HeldJobs = [];
  return {
    open: ({ clock, leaseMs, dead = false }) => memoryQueue({ clock, leaseMs, jobs, isDead: () => dead }),
    remove() {},
  };
});
