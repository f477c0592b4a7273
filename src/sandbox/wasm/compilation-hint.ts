import { ByteReader, ByteWriter } from './bytes.ts';
import { describeModule, type Section, sectionId } from './module.ts';

const sectionName = 'metadata.code.compilation_priority';

/**
 * Adds a hint to optimise the module's largest function before anything runs: in an interpreter, that is the loop over
 * the instructions. Without the hint, V8 runs unoptimised code until the function is entered again, and discards
 * optimised code whenever its assumptions fail. Engines that don't know the hint ignore it.
 */
export function addCompilationHint(sections: readonly Section[]): Section[] {
  const { bodies, importedFunctions } = describeModule(sections);
  const largest = bodies.reduce((best, body, i) => (body.length > bodies[best]!.length ? i : best), 0);
  // Number of functions, index, offset (0: the whole function), length, compilation and optimization priority (0: highest).
  const hint = new ByteWriter(64)
    .name(sectionName)
    .u32(1)
    .u32(importedFunctions + largest)
    .u32(0)
    .u32(2)
    .u8(0, 0);
  const others = sections.filter(({ id, data }) => id !== sectionId.custom || nameOf(data) !== sectionName);
  const codeIndex = others.findIndex(({ id }) => id === sectionId.code);
  return [
    ...others.slice(0, codeIndex),
    { id: sectionId.custom, data: hint.bytes },
    ...others.slice(codeIndex),
  ];
}

function nameOf(data: Uint8Array): string {
  return new ByteReader(data).name();
}
