import { maskSecrets, withoutSecrets } from '../core/index.ts';

/** What a message may say when it leaves the room: no known secret, and nothing that has the shape of one. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return maskSecrets(withoutSecrets(text, secrets));
}
