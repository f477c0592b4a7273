import { ByteReader, ByteWriter } from './bytes.ts';
import { describe, type Section, sectionId } from './module.ts';

const sectionName = 'metadata.code.compilation_priority';

/**
 * The module with a hint that its largest function is to be compiled well before anything runs: in an
 * interpreter that is the loop over its instructions. Otherwise V8 runs a first version of it until the
 * function is entered again, and throws a better one, made from what it has seen, away whenever it sees
 * something else. Engines that don't know the hint ignore it.
 */
export function withCompilationHint(sections: readonly Section[]): Section[] {
  const { bodies, importedFunctions } = describe(sections);
  const largest = bodies.reduce((best, body, i) => (body.length > bodies[best]!.length ? i : best), 0);
  // One function; offset 0, for the whole of it; two bytes: its priority in compilation and in optimization. 0 is the highest.
  const hint = new ByteWriter(64)
    .name(sectionName)
    .u32(1)
    .u32(importedFunctions + largest)
    .u32(0)
    .u32(2)
    .u8(0, 0);
  const others = sections.filter(({ id, data }) => id !== sectionId.custom || nameOf(data) !== sectionName);
  const place = others.findIndex(({ id }) => id === sectionId.code);
  return [...others.slice(0, place), { id: sectionId.custom, data: hint.bytes }, ...others.slice(place)];
}

function nameOf(data: Uint8Array): string {
  return new ByteReader(data).name();
}
