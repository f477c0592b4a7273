/** The table of the audit. Its triggers refuse every change and deletion of a row, by any role. */
import type { SchemaStep } from './schema.ts';

export const auditStep: SchemaStep = {
  name: 'audit',
  sql: `
    CREATE TABLE audit (
      id text COLLATE "C" PRIMARY KEY,
      at bigint NOT NULL,                  -- by the clock of the database
      actor text COLLATE "C" NOT NULL,
      team text COLLATE "C" NOT NULL,      -- empty: none
      act text COLLATE "C" NOT NULL,
      target text NOT NULL,
      result text NOT NULL
    );
    CREATE INDEX audit_at ON audit (at, id);
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a row of the audit is never changed or deleted';
    END $$;
    CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER audit_whole BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_change();
  `,
};
