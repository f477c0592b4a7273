import { alertRecordsContract } from '../../store/alert-records.contract.ts';
import { openDatabase } from '../../store/index.ts';
import { fileRecords } from './file-records.ts';
import { alertsSchema } from './schema.ts';

alertRecordsContract(async (clock) => {
  const db = openDatabase({ path: ':memory:', schemas: [alertsSchema] });
  return {
    records: fileRecords(db, clock),
    again: () => fileRecords(db, clock),
    close: async () => db.close(),
  };
});
