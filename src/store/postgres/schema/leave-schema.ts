/** Lets the last commit of a lease also release it. The same commit, sent again after a lost answer, is recognised. */
import type { SchemaStep } from './schema.ts';

export const leaveStep: SchemaStep = {
  name: 'the last commit gives the lease back',
  sql: `
    -- As before, but a lease that this very commit has released still counts as held.
    CREATE OR REPLACE FUNCTION take_turn(asked_runs text[], asked_fences bigint[], asked_turn bigint, writer int)
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      asked record;
      found text[] := '{}';
      lost text[];
      known boolean := false;
    BEGIN
      IF (SELECT oldest FROM store_schema) > writer THEN
        RAISE EXCEPTION 'this writer is too old' USING ERRCODE = 'SD003';
      END IF;
      FOR asked IN
        SELECT a.fence || ' ' || a.run AS name, leases.turn,
          leases.fence = a.fence AND (leases.host IS NOT NULL OR leases.turn >= asked_turn) AS held
        FROM unnest(asked_runs, asked_fences) AS a (run, fence) JOIN leases ON leases.run = a.run
        ORDER BY leases.run FOR NO KEY UPDATE OF leases
      LOOP
        IF asked.held THEN found := found || asked.name; END IF;
        IF asked.held AND asked.turn >= asked_turn THEN known := true; END IF;
      END LOOP;
      lost := ARRAY(SELECT a.fence || ' ' || a.run FROM unnest(asked_runs, asked_fences) AS a (run, fence)
        WHERE a.fence || ' ' || a.run <> ALL (found));
      IF cardinality(lost) > 0 THEN
        RAISE EXCEPTION 'lease lost' USING ERRCODE = 'SD001', DETAIL = array_to_json(lost)::text;
      END IF;
      IF known THEN
        RAISE EXCEPTION 'kept before' USING ERRCODE = 'SD002';
      END IF;
      UPDATE leases SET turn = asked_turn WHERE run = ANY (asked_runs);
    END $$;
  `,
};
