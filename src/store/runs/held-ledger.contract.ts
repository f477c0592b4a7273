/** Adapts the ledger of a held run to the ledger contract: ids of accounts begin with the id of the run. */

import type { LedgerHandle } from '../../core/budget/ledger.contract.ts';
import type { Account, BudgetEnd, Ledger, ReservedAmounts } from '../../core/index.ts';
import type { Store } from '../store.ts';

const run = 'held';

/** The root account, under any name, is the account of the run; all others are below it. */
export function createHeldLedger(store: Store): LedgerHandle {
  const toScopedId = (id: string, parent: string | null): string => (parent === null ? run : `${run}/${id}`);
  const names = new Map<string, string>();
  const nameOf = (id: string): string => names.get(id) ?? id;
  const originalId = (id: string): string => [...names].find(([, name]) => name === id)?.[0] ?? id;
  const acquired = store.runs
    .create({ id: run, shape: 's', question: 'q', root: '/', params: {} })
    .then(() => store.runs.acquire(run))
    .then((lease) => store.ledger(lease));
  const withLedger = async <Value>(ask: (ledger: Ledger) => Value): Promise<Value> => ask(await acquired);
  return {
    ledger: {
      open(account: Account) {
        const parent = account.parent === null ? null : nameOf(account.parent);
        const id = toScopedId(account.id, parent);
        names.set(account.id, id);
        return withLedger((ledger) => ledger.open({ ...account, id, parent }));
      },
      relimit: (account, limits) => withLedger((ledger) => ledger.relimit(nameOf(account), limits)),
      reserve: (request) =>
        withLedger((ledger): ReservedAmounts | BudgetEnd => {
          const reply = ledger.reserve({ ...request, account: nameOf(request.account) });
          return reply.kind === 'exhausted' ? { ...reply, account: originalId(reply.account) } : reply;
        }),
      settle: (id, actual) => withLedger((ledger) => ledger.settle(id, actual)),
      release: (id) => withLedger((ledger) => ledger.release(id)),
      charge: (account, amounts) => withLedger((ledger) => ledger.charge(nameOf(account), amounts)),
      balance: (account) => withLedger((ledger) => ledger.balance(nameOf(account))),
      recover: (of, fence) => withLedger((ledger) => ledger.recover(of, fence)),
    },
    close: () => store.close(),
  };
}
