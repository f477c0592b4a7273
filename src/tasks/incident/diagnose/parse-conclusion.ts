/** Parses a conclusion from free text, for models that failed to make the structured call. */
import type { IncidentClaim } from '../../../core/index.ts';
import type { WrittenDiagnosis } from './conclusion.ts';

const splitSentences = (text: string): readonly string[] =>
  text
    .split(/\n+|(?<=[.!?](?:\s*\[ev-[0-9a-f]{10}\])*)\s+(?=[A-Z0-9`"*-])/)
    .map((sentence) => sentence.replace(/^[\s>*#-]+|^\d+[.)]\s+/g, '').trim())
    .filter((sentence) => sentence.length > 8);

const findIds = (text: string): readonly string[] => [...new Set(text.match(/\bev-[0-9a-f]{10}\b/g) ?? [])];
const toClaim = (text: string): IncidentClaim => ({ text: text.slice(0, 600), evidence: findIds(text) });

/**
 * The root cause is the sentence that calls itself the cause, otherwise the first one with a citation; the rest are
 * claims.
 */
export function parseConclusion(text: string): WrittenDiagnosis {
  const all = splitSentences(text);
  const causes = all.filter((sentence) =>
    /root cause|caused by|because|the cause|to blame|culprit|led to/i.test(sentence),
  );
  const cause =
    causes.find((cause) => findIds(cause).length > 0) ??
    all.find((sentence) => findIds(sentence).length > 0) ??
    causes[0] ??
    all[0] ??
    '';
  const commit =
    /\b(?:commit|sha|revert|roll(?:ed)? ?back)\b[^.\n]{0,40}?\b((?=[0-9a-f]*\d)[0-9a-f]{7,40})\b/i.exec(
      text,
    )?.[1] ?? null;
  const none =
    /\bno (?:code |recent )?(?:change|commit|deploy)\w*(?: \w+){0,3} (?:to blame|caused|explains|responsible)|not (?:caused by|due to) (?:a|any) (?:change|commit|deploy)/i.test(
      text,
    );
  const unsure =
    /inconclusive|could not (?:be )?(?:determine|show|establish)|not enough evidence|unknown cause/i.test(
      text,
    );
  return {
    verdict: unsure
      ? 'inconclusive'
      : none
        ? 'no_code_change'
        : commit !== null
          ? 'code_change'
          : 'inconclusive',
    ...(!none && !unsure && commit !== null && { culprit: commit }),
    root_cause: { ...toClaim(cause), evidence: [...findIds(cause)] },
    root_cause_category: 'as written',
    causal_chain: [],
    claims: all
      .filter((sentence) => sentence !== cause && findIds(sentence).length > 0)
      .slice(0, 20)
      .map((sentence) => ({ text: sentence, evidence: [...findIds(sentence)] })),
    remediation_steps: all
      .filter((sentence) =>
        /^(roll|revert|restart|scale|raise|lower|switch|fail over|disable|enable|add|check|read)\b/i.test(
          sentence,
        ),
      )
      .slice(0, 6),
  };
}
