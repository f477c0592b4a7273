/** Makes a sentence from the fields of a claim, so that readers see exactly the claim that was checked. */
import type { IncidentFields } from '../../core/index.ts';

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function formatSentence(fields: IncidentFields): string {
  const { verb, actor, object = '', series = '', from, to, time, hunk } = fields;
  const pair = `${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` to ${to}`}`;
  const at = time === undefined ? '' : ` at ${time}`;
  const since = time === undefined ? '' : ` since ${time}`;
  const own = `${series}${actor === undefined ? '' : ` of ${actor}`}`;
  const lines = hunk === undefined ? '' : `: \`${flat(hunk).replaceAll('`', "'")}\``;
  const of = actor === undefined ? '' : ` of ${actor}`;
  switch (verb) {
    case 'rose':
    case 'fell':
      return flat(`${own} ${verb}${pair}${since}.`);
    case 'stayed':
      return flat(`${own} stayed as it was${pair === '' ? '' : `,${pair}`}.`);
    case 'was':
      return flat(`${own} was ${to ?? from ?? ''}${at}.`);
    case 'deployed':
      return flat(`${object} was deployed${actor === undefined ? '' : ` to ${actor}`}${at}.`);
    case 'brought':
      return flat(`${actor ?? 'The deploy'} brought ${object}${at}.`);
    case 'written':
      return flat(`${object} was written${at}.`);
    case 'switched':
      return flat(`${object}${of} was switched${pair}${at}.`);
    case 'changed':
      return flat(`${object === '' ? 'A value' : object}${of} was changed${pair}${at}${lines}.`);
    case 'added':
    case 'removed':
      return flat(`${object === '' ? 'A line' : object}${of} was ${verb}${pair}${at}${lines}.`);
    case 'logged':
      return flat(
        `${actor ?? 'The logs'} logged \`${object.replaceAll('`', "'")}\`${to === undefined ? '' : `, ${to} times`}${from === undefined ? '' : ` where it was ${from} before`}${since}.`,
      );
    case 'other':
      return flat(object);
  }
}
