import type { SettingKey } from '../config/index.ts';

/** The flags of commands that run, as commander names them. */
export interface AskFlags {
  readonly scope?: string;
  readonly steps?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
  readonly model?: string;
  readonly json?: true;
  readonly debug?: true;
}

/** Flags as the loader of settings takes them. */
export function runSettings(flags: AskFlags): Partial<Record<SettingKey, string>> {
  const { steps, maxTokens, maxUsd, maxTime, model } = flags;
  const given = { steps, max_tokens: maxTokens, max_usd: maxUsd, max_time: maxTime, model };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
