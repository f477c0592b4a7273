/** The kinds of run that the program has, by their shapes: each is its own file, and a line here. */
import { drift } from './drift.ts';
import { incident } from './incident.ts';
import { investigation } from './investigation.ts';
import { research } from './research.ts';

export const kinds = Object.freeze({ research, investigation, incident, drift });
