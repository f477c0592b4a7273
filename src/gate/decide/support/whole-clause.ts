/** Whether a clause means the same without the text before and after it in its sentence. */
import { mayDeny } from '../../words/turns.ts';

/** Words that change what a clause says, or take it back. */
const takeBackWord =
  /\b(?:if|until|till|when|while|false\w*|wrong\w*|untrue|doubt\w*|alleg\w*|claim\w*|suppos\w*|would|might|may|could|should|but|though|although|however|once|half|quarters?|expected|planned|formerly|vice versa|unless|except|excluding|apart)\b/i;
const continuation = /^["'”’*_`)\]]*(?:,? and (?!that|this|it\b|so\b)|,? because |: )/;
/** A consequence, or another clause. `providing the disk is full` would be a condition, so such words are excluded. */
const consequence =
  /^["'”’*_`)\]]*, (?:(?!assuming|supposing|providing|pending|barring|excepting|depending|according|pretending|failing|considering|regarding|including)\p{L}{2,}ing\b|which\b|(?!who|which|that\b|or\b)\p{L}[\p{L}\p{N}-]*(?: (?!who\b|which\b|that\b|or\b)[\p{L}\p{N}-]+){0,5} (?:was|were|is|are|has|have|had)\b)/u;

export const mayTakeBack = (text: string): boolean => takeBackWord.test(text);

/** Whether the clause means the same without the rest of its sentence, in English. */
export function mayEndBefore(rest: string): boolean {
  const behind = rest.replace(/^\s*\(([^()]*)\)/, (whole, inner: string) =>
    mayDeny(inner) || takeBackWord.test(inner) ? whole : '',
  );
  if (/^[\s"'”’*_`)\].]*$/.test(behind)) return behind !== rest;
  return (
    (continuation.test(behind) || consequence.test(behind)) && !mayDeny(behind) && !takeBackWord.test(behind)
  );
}

/** The same in other languages, only if the rest begins with `and`. */
export const mayEndBeforeAnd = (rest: string): boolean =>
  /^["'”’*_`)\]]*,?\s(?:und|et|y|e|i|oraz|en|och|og)\s/i.test(rest) &&
  !foreignTakeBack.test(rest) &&
  !mayDeny(rest);
/** Whether nothing before it makes it part of a condition, a list or a pair: `wenn`, `zwischen 3 und 5`. */
export const isWholeBefore = (text: string): boolean =>
  !foreignTakeBack.test(text) && !pairingWord.test(text);
const pairingWord =
  /(?<![\p{L}\p{N}])(?:zwischen|sowohl|weder|entweder|entre|tant|soit|tanto|między|zarówno|tussen|zowel|mellan|både)(?![\p{L}\p{N}])|,/iu;
const foreignTakeBack =
  /(?<![\p{L}\p{N}])(?:wenn|falls|sofern|bis|außer|aber|doch|jedoch|sonst|statt|hätte\p{L}*|würde\p{L}*|könnte\p{L}*|sollte\p{L}*|vielleicht|angeblich|dann|nur|erst|kein\p{L}*|nicht|nie|umgekehrt|halb|si|sauf|mais|peut|jusqu\p{L}*|quand|lorsque|cependant|serait|pas|jamais|aucun\p{L}*|sans|inversement|demi|salvo|excepto|pero|hasta|cuando|quizá|sería|nunca|ningun\p{L}*|no|sin|viceversa|jeśli|jeżeli|oprócz|ale|może|dopóki|aż|gdy|chyba|nie|nigdy|bez|odwrotnie|als|tenzij|maar|tot|niet|geen|om|men|inte|se|ma|non|fino|não|mas|até)(?![\p{L}\p{N}])/iu;

const scopeWord =
  /\b(?:if|unless|whether|when\w*|while|until|till|because|since|although|though|that|which|who\w*|where|what|how|why|as|than|would|could|should|may|might|can|must|will|shall|neither|either|except|only|just|think\w*|thought|believ\w*|claim\w*|say\w*|said|report\w*|alleg\w*|suppos\w*|hop\w+|expect\w*|plan\w*|want\w*|ask\w*|told|suggest\w*|propos\w*|recommend\w*|maybe|perhaps|probably|possibly|likely|seem\w*|appear\w*|rumou?r\w*|according|imagin\w*|let|to)\b|["“”?]/i;
const finiteVerb = /\b(?:is|are|was|were|has|have|had|does|did)\b/i;

/** Whether the text before is an independent clause, on which the next one does not depend. */
export function isClauseBefore(text: string, claim: string): boolean {
  // `~06:30` is about that time.
  const before = text.replace(/~(?=\d)/g, '');
  if (/, but\s+(?:(?:the|an?)\s+)?["'“*_`([]*$/i.test(before))
    return (
      !reportingWord.test(before) && /\b(?:is|are|was|were|has|have|had|\p{L}{3,}(?:ed|s))\b/iu.test(claim)
    );
  return (
    /(?:,? and|;)\s+(?:(?:the|an?)\s+)?["'“*_`([]*$/i.test(before) &&
    finiteVerb.test(before) &&
    finiteVerb.test(claim) &&
    !mayDeny(before) &&
    !scopeWord.test(before)
  );
}
const reportingWord =
  /\b(?:if|unless|whether|that|think\w*|thought|believ\w*|claim\w*|say\w*|said|report\w*|alleg\w*|suppos\w*|imagin\w*|hop\w+|none|nothing|nobody|everything|everyone|everybody|all)\b|["“”?]/i;
