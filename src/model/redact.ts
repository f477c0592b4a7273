import { maskSecrets, removeKnownSecrets } from '../core/index.ts';

/** Removes known secrets, and whatever has the form of one, from a message that code outside `model` will see. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return maskSecrets(removeKnownSecrets(text, secrets));
}
