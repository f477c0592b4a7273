/** The abilities over code as tools of the host. */
import { type CodePorts, codeEntries } from '../../catalogue/index.ts';
import type { Tool } from '../../core/index.ts';
import { toolOf } from './tool-of.ts';

/** All ports are there: a folder without a history answers so. They are confined to one folder. */
export type CodeMaterial = Required<CodePorts>;

/** `material` is asked for with the first call. */
export const codeTools = (material: () => Promise<CodeMaterial>): readonly Tool[] =>
  codeEntries.map((entry) => toolOf(entry, material));
