import type { Schema } from '../../store/index.ts';
import { ledgerSchema, syncSchema } from '../vault/ledger-schema.ts';
import { worldSchema } from './schema.ts';

/** The schemas of all tables that this room keeps in the file of a workspace. */
export const worldSchemas: readonly Schema[] = [worldSchema, ledgerSchema, syncSchema];
