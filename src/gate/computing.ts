/** Second entry point of the room: what an investigation looks up and works out before its answer is checked. */

export { findBackedWords } from './computed/derivation.ts';
export { absencesIn } from './search/absence.ts';
export { type Occurrences, occurrencesOf } from './search/occurrences.ts';
