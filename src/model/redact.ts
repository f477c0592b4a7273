import { maskSecrets, removeKnownSecrets } from '../core/index.ts';

/** Removes known secrets, and texts that look like secrets, from messages that leave this folder. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return maskSecrets(removeKnownSecrets(text, secrets));
}
