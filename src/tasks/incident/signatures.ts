/** The typed model calls of an incident outside the dialogue. */

import { z } from 'zod';
import { firewall } from '../../core/index.ts';
import { fillPrompt, promptFile, signature } from '../../model/index.ts';

const instructions = fillPrompt(promptFile(new URL('./prompts/read-alert.md', import.meta.url)), {
  firewall,
});

const maybe = (what: string) => z.string().optional().describe(what);

export const readAlert = signature({
  name: 'read-alert',
  instructions,
  input: z.object({ alert: z.string().describe('The alert as it was sent') }),
  output: z.object({
    kind: z.enum(['alert', 'noise', 'resolved']).describe('noise: chat, a greeting, a reply in a thread'),
    why: z.string().describe('One sentence'),
    alert_name: maybe('Its name, as it stands there'),
    severity: maybe('As it stands there'),
    service: maybe('The service it is about, as it stands there'),
    namespace: maybe('As it stands there'),
    metric: maybe('The metric it is about, as it stands there'),
    error_message: maybe('The error it quotes'),
    started: maybe('When the trouble began, ISO 8601 in UTC, where it says so'),
  }),
});
