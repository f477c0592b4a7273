/**
 * Incidents made up for tests, in memory: each names its metrics, messages and changes, and what is to blame.
 * Written from what is known of such incidents in general, and not from any set that results are measured on.
 */
import { ofAgreement } from './made-agreement.contract.ts';
import { ofEdits } from './made-edits.contract.ts';
import type { Made } from './made-facts.contract.ts';
import { ofOutside } from './made-outside.contract.ts';
import { ofPressure } from './made-pressure.contract.ts';

export const madeIncidents: readonly Made[] = [...ofPressure, ...ofAgreement, ...ofOutside, ...ofEdits];
