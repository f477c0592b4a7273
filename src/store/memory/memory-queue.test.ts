import { queueContract } from '../queue/queue.contract.ts';
import { type MemoryJobs, memoryQueue } from './memory-queue.ts';

queueContract('in memory', () => {
  const jobs: MemoryJobs = [];
  return {
    open: ({ clock, leaseMs, dead = false }) => memoryQueue({ clock, leaseMs, jobs, isDead: () => dead }),
    remove() {},
  };
});
