import type { Caller } from '../../core/index.ts';
import type { WorldOperation, WorldWrite } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import { FileCounts } from './counts.ts';
import { type Ledger, openLedger, type RunRow } from './ledger.ts';
import type { ImportOptions, VaultPlace, VaultProblem, Workspace } from './vault.ts';

/** The state of one import. */
export interface ImportWork {
  readonly workspace: Workspace;
  readonly options: ImportOptions;
  readonly root: string;
  readonly into: string;
  readonly ledger: Ledger;
  readonly vaultId: number;
  readonly run: RunRow;
  readonly resumed: boolean;
  readonly counts: FileCounts;
  readonly problems: VaultProblem[];
  readonly deviations: string[];
  write(operation: WorldOperation, file: string, hash: string, base?: number | null): WorldWrite;
}

/** Continues an interrupted import, or begins a new one. */
export function beginWork(workspace: Workspace, options: ImportOptions & Required<VaultPlace>): ImportWork {
  const { root, into, device, clock } = options;
  const ledger = openLedger(workspace.database);
  const { run, resumed } = workspace.database.atomic(() =>
    ledger.begin(ledger.vault(root, into, true)!, clock()),
  );
  const caller: Caller = Object.freeze({
    kind: 'import',
    name: 'vault',
    device,
    thread: null,
    channel: null,
  });
  return {
    workspace,
    options,
    root,
    into,
    ledger,
    vaultId: run.vault,
    run,
    resumed,
    counts: new FileCounts(),
    problems: [],
    deviations: [],
    write: (operation, file, hash, base = null) =>
      worldWrite({
        operation,
        caller,
        source: `${run.run}:${file}`,
        // The key names run and content, so that a resumed import writes nothing twice.
        idempotencyKey: `${run.run}:${operation.op}:${file}:${hash}`,
        ...(base !== null && { baseRevision: base }),
      }),
  };
}
