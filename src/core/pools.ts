/** Second door: budgets as they are spent, for those who run work on one. */
export { throwLeaseLost } from './budget/ledger-errors.ts';
export { ledgerOver } from './budget/ledger-over.ts';
export { ledgerTables, memoryLedger, memoryRows } from './budget/memory-ledger.ts';
export { openPool } from './budget/pool.ts';
