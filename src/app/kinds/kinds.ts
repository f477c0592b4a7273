/** All kinds of run by their shapes. Each has a file of its own, and a line here. */
import { drift } from './drift.ts';
import { incident } from './incident.ts';
import { investigation } from './investigation.ts';
import { research } from './research.ts';

export const kinds = Object.freeze({ research, investigation, incident, drift });
