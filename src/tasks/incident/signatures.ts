/** The typed model calls of an incident outside the dialogue. */

import { z } from 'zod';
import { firewall } from '../../core/index.ts';
import { fillPrompt, promptFile, signature } from '../../model/index.ts';

const instructions = fillPrompt(promptFile(new URL('./prompts/read-alert.md', import.meta.url)), {
  firewall,
});

const optionalText = (what: string) => z.string().optional().describe(what);

export const readAlert = signature({
  name: 'read-alert',
  instructions,
  input: z.object({ alert: z.string().describe('The alert as it was sent') }),
  output: z.object({
    kind: z.enum(['alert', 'noise', 'resolved']).describe('noise: chat, a greeting, a reply in a thread'),
    why: z.string().describe('One sentence'),
    alert_name: optionalText('Its name, as it stands there'),
    severity: optionalText('As it stands there'),
    service: optionalText('The service it is about, as it stands there'),
    namespace: optionalText('As it stands there'),
    metric: optionalText('The metric it is about, as it stands there'),
    error_message: optionalText('The error it quotes'),
    started: optionalText('When the trouble began, ISO 8601 in UTC, where it says so'),
  }),
});
