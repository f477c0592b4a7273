/**
 * Links a change to a symptom that names the definition in which a line was edited: as a logger, a span, or a constant
 * in a message. `identifier` compares the words of edited lines, which rarely contain the name of their definition.
 */
import type { ChangedDefinition } from '../../../../core/index.ts';
import type { Symptom } from '../symptoms.ts';
import { placeFactor } from './place.ts';
import { formatChangeName, type Rule, shortenText, type Tie } from './tie.ts';

/** Names that functions and types have in any program. */
const everydayName =
  /^(?:main|init|index|setup|start|stop|run|call|perform|process|handle\w?|execute|invoke|apply|update|create|delete|remove|insert|select|fetch|load|save|store|read|write|send|receive|publish|consume|parse|render|build|make|check|validate|find|list|open|close|next|test|default|config|settings|options|request|response|client|server|service|handler|controller|router|worker|manager|model|schema|types?|utils?|helpers?|errors?|events?|state|status|result|data|value|items?|name|message|logger|metrics|cache|queue|pool|session|connection|transaction|constructor|toString|equals|hashCode)$/i;

/** Whether a name is long enough or has several parts: short plain words also occur in other messages. */
const isTelling = ({ name, kind }: ChangedDefinition): boolean =>
  !everydayName.test(name) &&
  (/[a-z0-9][A-Z]|\w[_.]\w/.test(name) ? name.length > 4 : name.length > (kind === 'function' ? 5 : 7));

const strengths: Readonly<Record<ChangedDefinition['kind'], number>> = {
  function: 0.72,
  type: 0.6,
  value: 0.66,
};

export const definition: Rule = (tiedChange, context) => {
  const { change, nature } = tiedChange;
  if (change.names === undefined || /^(?:inert|logging|rewrite)$/.test(nature.kind)) return [];
  const { symptoms, common, rarity } = context;
  const strongSymptoms = symptoms.filter(({ evidence, weight }) => evidence !== '' && weight >= 0.8);
  // If only a value changed, `setting` compares it: a message from the same file adds nothing.
  const isValueOnly = nature.diff !== null && nature.diff.values.length === nature.diff.added.length;
  const changedDefinitions = change.names.inside.filter(
    (changedDefinition) =>
      isTelling(changedDefinition) && !(changedDefinition.kind === 'type' && isValueOnly),
  );
  const found = changedDefinitions.flatMap((changedDefinition): readonly Tie[] => {
    if (common.has(normalizeName(changedDefinition.name))) return [];
    const seen = strongSymptoms.find((symptom) => containsName(symptom, changedDefinition));
    return seen === undefined
      ? []
      : [
          {
            kind: 'identifier',
            from: `${formatChangeName(change)}: edits ${changedDefinition.kind === 'value' ? '' : `the ${changedDefinition.kind} `}${changedDefinition.name}`,
            to: shortenText(seen.text),
            evidence: [change.evidence, seen.evidence],
            strength:
              strengths[changedDefinition.kind] *
              (0.5 + 0.5 * rarity(normalizeName(changedDefinition.name))) *
              placeFactor(tiedChange, context),
          },
        ];
  });
  return found.toSorted((a, b) => b.strength - a.strength).slice(0, 1);
};

const normalizeName = (name: string): string => name.replace(/[_.\-\s]/g, '').toLowerCase();

/**
 * Whether a text contains the name with its capitals: `PaymentFlow`, not `payment flow`. A path may precede the name:
 * `Orders/Reserve`.
 */
function containsName({ text }: Symptom, { name }: ChangedDefinition): boolean {
  const word = RegExp.escape(name);
  return new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text);
}
