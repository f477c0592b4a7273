/** An importer that tests kill: `node crash-worker.contract.ts DATABASE VAULT`. Prints a line when it has begun. */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../store/index.ts';
import { openWorld } from '../index.ts';
import { importVault } from './index.ts';

const [path = '', root = ''] = process.argv.slice(2);
const database = openDatabase({ path, schemas: [], busyMs: 5000 });
const world = openWorld(database);
writeSync(1, 'begun\n');
const report = await importVault({ world, database }, { root, device: 'crash', clock: Date.now });
writeSync(1, `${JSON.stringify({ run: report.run, resumed: report.resumed })}\n`);
database.close();
