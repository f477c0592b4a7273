/** The cost of runs and conversations over HTTP. */
import { z } from 'zod';
import { resources, zeroAmounts } from '../../../core/index.ts';
import { runState } from '../../../core/runs.ts';
import { readBalance } from '../../../store/index.ts';
import { managerRoles, roleForRuns } from '../askers.ts';
import { route } from '../route.ts';

const amounts = z.partialRecord(z.enum(resources), z.number());

const spendingSchema = z.strictObject({ key: z.string(), runs: z.number().int(), spent: amounts });

/** Maximum number of runs to add up, newest first. */
const maxRuns = 1_000;

export const spendRoutes = [
  route({
    id: 'getSpend',
    method: 'get',
    path: '/spend',
    summary: 'What the last thousand runs spent, by kind of run and by day (UTC)',
    allowedRoles: managerRoles,
    effect: 'read',
    answer: z
      .strictObject({
        runs: z.number().int(),
        shapes: z.array(spendingSchema),
        days: z.array(spendingSchema),
      })
      .meta({
        id: 'Spend',
      }),
    async handle({ asker }, { runs }) {
      const visibleRuns = await runs.list(roleForRuns(asker), { after: null, count: maxRuns });
      const rows = await Promise.all(
        visibleRuns.map(async ({ row, store }) => ({
          shape: row.shape,
          day: new Date(row.created).toISOString().slice(0, 10),
          // A finished run has its own sum, since its account may be gone.
          spent: (await readBalance(store, row.id))?.spent ?? runState(await store.events(row.id)).spent,
        })),
      );
      const sumBy = (key: (one: (typeof rows)[number]) => string): z.input<typeof spendingSchema>[] =>
        [...Map.groupBy(rows, key)].map(([name, group]) => ({
          key: name,
          runs: group.length,
          spent: Object.fromEntries(
            resources.map((resource) => [
              resource,
              group.reduce((sum, one) => sum + one.spent[resource], zeroAmounts[resource]),
            ]),
          ),
        }));
      return { runs: rows.length, shapes: sumBy(({ shape }) => shape), days: sumBy(({ day }) => day) };
    },
  }),
];
