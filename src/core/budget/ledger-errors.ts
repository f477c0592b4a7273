import { SondeError } from '../errors.ts';

export function throwMisuse(message: string): never {
  throw new SondeError('pool_misuse', {
    message,
    remedy: 'This is a fault in the caller: reserve once, then settle or release once.',
  });
}

export function throwLeaseLost(run: string, fence: number): never {
  throw new SondeError('lease_lost', {
    message: `This worker no longer holds ${run} (its fence is ${fence})`,
    remedy: 'Stop this worker: another one has taken the run over, or it was given back.',
    details: { run, fence },
  });
}
