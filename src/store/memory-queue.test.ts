import { type HeldJobs, memoryQueue } from './memory-queue.ts';
import { queueContract } from './queue.contract.ts';

queueContract('in memory', () => {
  const jobs: HeldJobs = [];
  return {
    open: ({ clock, leaseMs, dead = false }) => memoryQueue({ clock, leaseMs, jobs, isDead: () => dead }),
    remove() {},
  };
});
