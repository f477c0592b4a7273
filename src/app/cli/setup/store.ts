import { Command } from 'commander';
import { formatCount } from '../../../core/index.ts';
import type { StoreMove } from '../../../store/postgres/index.ts';
import { currentProcess } from '../../current-process.ts';
import type { Migration } from '../../stores/manage-store.ts';
import { jsonOption } from '../flags.ts';

type JsonFlag = { readonly json?: true };
interface UpgradeFlags extends JsonFlag {
  readonly front?: string;
}
interface MigrateFlags extends JsonFlag {
  readonly from?: string;
  readonly to?: string;
  readonly dryRun?: true;
}

async function load() {
  return { ...(await import('../../stores/manage-store.ts')), ...(await import('../terminal.ts')) };
}

async function printStatus({ json }: JsonFlag): Promise<void> {
  const { storeStatus, print, printJson } = await load();
  const storeState = await storeStatus();
  if (json) return printJson(storeState);
  const { engine, place, version, pending } = storeState;
  const pendingLine =
    pending.length === 0 ? '' : `\npending until sonde store upgrade: ${pending.join(', ')}`;
  await print(
    `${engine}, ${place}: ${version === 0 ? 'nothing is there yet' : `version ${version}`}${pendingLine}`,
  );
}

async function upgrade({ json, front }: UpgradeFlags): Promise<void> {
  const { upgradeStore, print, printJson } = await load();
  const changes = await upgradeStore(front);
  if (json) return printJson({ made: changes, front: front ?? null });
  await print(changes.length === 0 ? 'Nothing was pending.' : `Changes made: ${changes.join(', ')}.`);
  if (front !== undefined)
    await print(
      `The role ${front} has access now. Set SONDE_STORE_URL of each front to the address of the database with this role.`,
    );
}

async function migrate({ from, to, dryRun, json }: MigrateFlags): Promise<void> {
  const { migrateStore, print, printJson } = await load();
  const migration = await migrateStore({ from, to, dryRun: dryRun === true });
  if (!migration.equal) currentProcess().exitCode = 1;
  if (json) return printJson({ ...migration, dry_run: dryRun === true });
  await print(migrationText(migration));
}

function migrationText({ workspaces, equal, ...runsMove }: Migration): string {
  return [
    ...(runsMove.tables.length === 0 ? [] : [...migrationLines(runsMove), '']),
    ...workspaces.flatMap((migration) => [
      `workspace ${migration.workspace}, into the schema ${migration.schema}`,
      ...migrationLines(migration),
      `note: its pages and its memory stay in the file; host it with: sonde worker --workspaces ${migration.workspace}`,
      '',
    ]),
    equal ? 'Both stores contain the same rows.' : 'The stores differ.',
  ].join('\n');
}

function migrationLines({ from, to, tables, left }: StoreMove): readonly string[] {
  const formatSide = ({ rows, hash }: { readonly rows: number; readonly hash: string }): string =>
    `${String(rows).padStart(9)}  ${hash.slice(0, 12)}`;
  const tableWidth = Math.max(14, ...tables.map(({ table }) => table.length + 1));
  return [
    `from ${from}`,
    `to   ${to}`,
    '',
    `${'table'.padEnd(tableWidth)}${'rows from'.padStart(10)}  ${'hash'.padEnd(12)}  ${'rows to'.padStart(9)}  hash`,
    ...tables.map(({ table, source, target }) =>
      `${table.padEnd(tableWidth)} ${formatSide(source)}  ${formatSide(target)}  ${source.hash === target.hash ? '' : 'differs'}`.trimEnd(),
    ),
    ...left.map(
      ({ table, rows }) =>
        `note: ${formatCount(rows, 'row')} of ${table} ${rows === 1 ? 'stays' : 'stay'} in the file`,
    ),
  ];
}

export function storeCommand(): Command {
  return new Command('store')
    .description('manage the store of runs: a local file, or a PostgreSQL database shared by a team')
    .addCommand(
      new Command('status')
        .description(
          'show where runs are kept, the version of that store, and the changes that sonde store upgrade would make to it',
        )
        .addOption(
          jsonOption(
            'print {engine, place, version, pending}; pending: the changes that sonde store upgrade would make',
          ),
        )
        .action(printStatus),
    )
    .addCommand(
      new Command('upgrade')
        .description('upgrade the store to this version of Sonde, atomically: all changes or none')
        .option(
          '--front <role>',
          'give a PostgreSQL role access to the store, for fronts (sonde serve) to connect as; the database then shows each team only its own rows',
        )
        .addOption(
          jsonOption('print {made, front}: the changes that were made, and the role that was given access'),
        )
        .action(upgrade),
    )
    .addCommand(
      new Command('migrate')
        .description(
          'copy your local store to a team’s store: runs, alerts, and each workspace’s conversations, schedules, roles and channels. Pages are not copied: they stay in files on the worker that hosts the workspace. The source is only read; an interrupted copy can be repeated. Exits with 1 if the two differ afterwards',
        )
        .option(
          '--from <store>',
          'the source: sqlite (your own store and workspaces), or sqlite:FILE (one file of these)',
        )
        .option(
          '--to <store>',
          'the target: postgres (the database that SONDE_STORE_URL or store_url_file names)',
        )
        .option('--dry-run', 'show how the two stores differ, and write nothing')
        .addOption(jsonOption('print rows and hashes of both stores, by table'))
        .action(migrate),
    );
}
