/** Second entry point of the room: spending budgets, for code that runs work on one. */
export { throwLeaseLost } from './budget/ledger-errors.ts';
export { ledgerOver, reservationId } from './budget/ledger-over.ts';
export { ledgerTables, memoryLedger, memoryRows } from './budget/memory-ledger.ts';
export { openPool } from './budget/pool.ts';
