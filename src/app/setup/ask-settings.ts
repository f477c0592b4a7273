/** Asks for settings one after the other, at a terminal. */

import { systems } from '../../signals/systems.ts';
import { senders } from '../../tasks/incident/index.ts';

/** Shows a line, and gives the answer without its line end. */
export type AskLine = (question: string) => Promise<string>;

export interface Answers {
  /** In the form of `--set`. */
  readonly pairs: readonly string[];
  readonly sender: string | undefined;
}

/** An empty answer leaves a setting out. Certificates and the like can only be given by flags. */
export async function askSettings(ask: AskLine, sender: string | undefined): Promise<Answers> {
  const names = Object.keys(systems);
  const chosen = await choose(ask, `Systems to look at (${names.join(', ')}), separated by commas: `, names);
  const pairs: string[] = [];
  for (const name of chosen) {
    const { settings } = await systems[name]!();
    for (const [key, { form, what, allowed }] of Object.entries(settings)) {
      if (/_(?:ca_file|cert_file|key_file|tenant|user|password)$/.test(key)) continue;
      const secret = form === 'key';
      const value = (
        await ask(secret ? `${what}\n  path of a file that holds it: ` : `${what}\n  ${allowed}: `)
      ).trim();
      if (value !== '') pairs.push(`${key}${secret ? '_file' : ''}=${value}`);
    }
  }
  const [asked] =
    sender !== undefined
      ? [sender]
      : await choose(ask, `Who sends alerts (${senders.join(', ')}), or nothing: `, senders);
  return { pairs, sender: asked };
}

/** Asks again if the answer is none of these words. */
async function choose(ask: AskLine, question: string, known: readonly string[]): Promise<readonly string[]> {
  for (let shown = question; ; ) {
    const words = (await ask(shown)).split(/[\s,]+/).filter((word) => word !== '');
    const strange = words.find((word) => !known.includes(word));
    if (strange === undefined) return [...new Set(words)];
    shown = `${JSON.stringify(strange)} is none of these. ${question}`;
  }
}
