/**
 * Finds the lines of a text that read like orders to whoever reads it: a deterministic classifier, after the
 * planted instructions that are published. What it finds is marked, never changed or left out; what it takes for
 * an order wrongly costs a marker, and what it misses is inside a quoted block all the same.
 */

/** Written as a person would see it: without hidden letters, look-alike forms, and case. */
function seen(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\u{e0000}-\u{e007f}]/gu, '')
    .replace(/&(?:nbsp|#160);/gi, ' ')
    .toLowerCase();
}

/** Whoever speaks of these speaks to a model. */
const addressed =
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|those|system)\b|\b(?:system prompt|developer message|jailbreak|new instructions?|updated instructions?|end of (?:the )?(?:document|context|user))\b|\byou (?:are|must|should|will|have to|need to|may|can|are now)\b|\b(?:as an?|dear|hey|attention,?|note to|instructions? (?:for|to)) (?:the )?(?:ai|a\.i\.|assistant|agent|model|llm|chatbot|language model|reader)\b|\b(?:assistant|system|user|human|ai)\s*:\s*\S|<\/?(?:system|information|important|instructions?|admin|prompt|tool_call|function_calls?)\b/u;

/** Of what a model makes, and how it is to look. */
const ofItsWork =
  /\byour (?:response|answer|reply|output|solution|code|codebase|summary|report|implementation|final|task|goal|instructions?|tools?)\b|\bthe (?:code|solution|response|answer) you\b/u;

/** At the start of a sentence these ask for something; also of one in a table cell, a comment, a title or a property. */
const asking =
  /(?:^|[.!?:;]\s+|^[\s>*#|`"'()[\]\d.-]+|\|\s*|<!--\s*|[:(\s]")(?:please |kindly |now |first,? |then |also,? |do not |don't |never |always )*(?:add|analy[sz]e|answer|append|blend|call|change|check|compose|convert|copy|create|delete|describe|determine|develop|disable|do|encode|encrypt|ensure|execute|explain|export|fetch|find|follow|forward|generate|give|grant|guarantee|hide|identify|implement|include|incorporate|insert|install|integrate|invite|list|make|mark|mention|modify|move|open|output|pay|post|print|promote|promise|provide|publish|read|recommend|remove|rename|repeat|reply|report|resolve|respond|return|reveal|reverse|run|say|schedule|search|send|set|share|show|start|stop|submit|suggest|summari[sz]e|tell|transfer|translate|turn|update|upgrade|upload|use|validate|verify|visit|write)\b(?! (?:is|are|was|were|has|have)\b)/mu;

/** 1-based numbers of the lines, the first first. */
export function orderLikeLines(text: string): readonly number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => (readsAsOrder(seen(line)) ? [index + 1] : []));
}

/** A line longer than this is looked at in part: no text holds the program up. Characters. */
const longestLine = 20_000;

function readsAsOrder(line: string): boolean {
  const part = line.slice(0, longestLine);
  return addressed.test(part) || ofItsWork.test(part) || asking.test(part);
}
