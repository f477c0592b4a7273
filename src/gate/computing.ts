/** Second entry point of the room: functions that an investigation calls before its answer is checked. */

export { findBackedWords } from './computed/derivation.ts';
export { findAbsences } from './search/absence.ts';
export { createOccurrenceFinder, type Occurrences } from './search/occurrences.ts';
