/** Flags that the `sonde world` commands share. */
import type { Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { settingOption } from '../flags.ts';

export interface WorldFlags {
  readonly workspace?: string;
  readonly json?: true;
}

export const workspaceOption = (): Option => settingOption('workspace', 'name');

export function parseCount(flag: string, text: string | undefined, defaultValue: number): number {
  if (text === undefined) return defaultValue;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count;
  throw new SondeError('bad_argument', {
    message: `${flag} is ${JSON.stringify(text)}, not a whole number from 1`,
    remedy: 'Give a whole number from 1.',
  });
}
