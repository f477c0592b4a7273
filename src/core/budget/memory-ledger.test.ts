import { ledgerContract } from './ledger.contract.ts';
import { memoryLedger } from './memory-ledger.ts';

ledgerContract('in memory', () => ({ ledger: memoryLedger() }));
