/** Second entry point of the room: budgets, for code that spends them. */
export { throwLeaseLost } from './budget/ledger-errors.ts';
export { ledgerFromRows, reservationId } from './budget/ledger-from-rows.ts';
export { createLedgerTables, memoryLedger, memoryRows } from './budget/memory-ledger.ts';
export { openPool } from './budget/pool.ts';
