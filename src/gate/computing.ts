/** Second entry point of the room: functions that an investigation calls before its answer is checked. */

export { findBackedWords } from './computed/derivation.ts';
export { absencesIn } from './search/absence.ts';
export { type Occurrences, occurrencesOf } from './search/occurrences.ts';
