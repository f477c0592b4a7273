/** Second entry point of the room: what an investigation looks up and works out before its answer is checked. */
export { absencesIn } from './absence.ts';
export { findBackedWords } from './derivation.ts';
export { type Occurrences, occurrencesOf } from './occurrences.ts';
