/** Asks for settings one after the other, at a terminal. */

import { systems } from '../../signals/systems.ts';
import { senders } from '../../tasks/incident/index.ts';

/** Shows a line, and returns the answer without its line end. */
export type AskLine = (question: string) => Promise<string>;

export interface Answers {
  /** `KEY=VALUE`, as for `--set`. */
  readonly pairs: readonly string[];
  readonly sender: string | undefined;
}

/** An empty answer leaves a setting out. Certificates, users, passwords and tenants can only be given by flags. */
export async function askSettings(ask: AskLine, sender: string | undefined): Promise<Answers> {
  const names = Object.keys(systems);
  const chosen = await askWords(
    ask,
    `Systems to look at (${names.join(', ')}), separated by commas: `,
    names,
  );
  const pairs: string[] = [];
  for (const name of chosen) {
    const { settings } = await systems[name]!();
    for (const [key, { form, what, allowed }] of Object.entries(settings)) {
      if (/_(?:ca_file|cert_file|key_file|tenant|user|password)$/.test(key)) continue;
      const isSecret = form === 'key';
      const value = (
        await ask(isSecret ? `${what}\n  path of a file that holds it: ` : `${what}\n  ${allowed}: `)
      ).trim();
      if (value !== '') pairs.push(`${key}${isSecret ? '_file' : ''}=${value}`);
    }
  }
  const [chosenSender] =
    sender !== undefined
      ? [sender]
      : await askWords(ask, `Who sends alerts (${senders.join(', ')}), or nothing: `, senders);
  return { pairs, sender: chosenSender };
}

/** Asks for words, and asks again if one of them is not allowed. */
async function askWords(
  ask: AskLine,
  question: string,
  allowedWords: readonly string[],
): Promise<readonly string[]> {
  for (let prompt = question; ; ) {
    const words = (await ask(prompt)).split(/[\s,]+/).filter((word) => word !== '');
    const unknownWord = words.find((word) => !allowedWords.includes(word));
    if (unknownWord === undefined) return [...new Set(words)];
    prompt = `${JSON.stringify(unknownWord)} is none of these. ${question}`;
  }
}
