/** Commands of the host to the process of the workers. `slot` is the number of a worker, and of its pipe. */
export type ChildCommand =
  | {
      readonly kind: 'begin';
      /** Path of the workers' own program. */
      readonly program: string;
      readonly module: string;
      readonly library: string;
      readonly snapshot: string;
    }
  | { readonly kind: 'start'; readonly slot: number }
  | { readonly kind: 'cancel'; readonly slot: number; readonly serial: number }
  | { readonly kind: 'end'; readonly slot: number };

export type ChildReport =
  | { readonly kind: 'begun' }
  | { readonly kind: 'ended'; readonly slot: number; readonly problem: string | null };

/** File descriptor of the first worker's pipe: after the standard three and the command channel. */
export const firstPipe = 4;

/**
 * V8's own limits for a worker. With a stack of 4 MB, deep recursion in the guest would end the session instead
 * of the recursion. The heap holds the host's side only, but V8 counts the 40 MB of the guest's memory, snapshot and
 * library towards its first collection: at a limit of 64 MB every new worker began with one of 5 to 10 ms.
 */
export const workerLimits = { stackSizeMb: 16, maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };
