/** Second entry point of the room: budgets, for code that spends them. */
export { throwLeaseLost } from './budget/ledger-errors.ts';
export { ledgerOver, reservationId } from './budget/ledger-over.ts';
export { ledgerTables, memoryLedger, memoryRows } from './budget/memory-ledger.ts';
export { openPool } from './budget/pool.ts';
