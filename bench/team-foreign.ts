/**
 * What people of one team can learn of another's work at a front: random requests by three teams over every route of the
 * OpenAPI document, every MCP tool, and the store and queue in their names; foreign rows that were seen, and foreign
 * things that an error, a count or a cursor tells from those that never were.
 * `node bench/team-foreign.ts [--requests 50000] [--seed 1] [--at-once 8] [--only PATTERN] [--leak]` starts a PostgreSQL
 * of its own, a worker and two fronts. `--only` asks the operations whose names match alone; `--leak` gives one team's run
 * to another one in the store, which must be found. Prints JSON.
 */
import { parseArgs } from 'node:util';
import { askAtRandom, countsTold } from './team/foreign.ts';
import { openScene } from './team/foreign-scene.ts';
import { startServer } from './team/server.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '8' },
    only: { type: 'string' },
    leak: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const server = await startServer();
try {
  const scene = await openScene(server, values.verbose);
  try {
    if (values.leak)
      await scene.sql(`UPDATE sonde.runs SET team = 'red' WHERE id = $1`, [
        scene.planted.blue.ids['run']![0],
      ]);
    const counts = await countsTold(scene);
    const before = await scene.untouched();
    const began = performance.now();
    const report = await askAtRandom(scene, {
      ...{ requests: Number(values.requests), seed: Number(values.seed), atOnce: Number(values['at-once']) },
      ...(values.only !== undefined && { only: new RegExp(values.only) }),
    });
    const findings = [...counts, ...report.findings];
    const number = (kind: string): number => findings.filter((one) => one.kind === kind).length;
    console.log(
      JSON.stringify(
        {
          ...{
            seen: number('seen'),
            guessed: number('guessed'),
            changed: before !== (await scene.untouched()),
          },
          ...report,
          ...{ findings, seconds: Math.round((performance.now() - began) / 1_000) },
        },
        null,
        1,
      ),
    );
  } finally {
    await scene.close();
  }
} finally {
  server.stop();
}
