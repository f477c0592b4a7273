/**
 * Finds the lines of a text that give orders to its reader: they address a model, refer to its output, or ask it to put
 * something into its work. The classifier is deterministic. Plain imperatives and questions don't count, since every
 * second line of a manual is one. Lines that it finds are reported, never changed or left out. All lines, including
 * those it misses, are inside a quoted block.
 */

/** The text as a person would see it: without hidden letters, look-alike forms, and case. */
function normalizeVisible(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\u{e0000}-\u{e007f}]/gu, '')
    .replace(/&(?:nbsp|#160);/gi, ' ')
    .replace(/[’ʼ]/g, "'")
    .toLowerCase();
}

/** The beginning of an order: of a sentence, of a request, or of words that introduce one. */
const orderStart =
  '(?:^|[.!?:;"(>|*-]\\s*|\\b(?:please|and|then|to|must|should|can you|could you|would you|will you|don\'t forget to|remember to|be sure to|make sure to|ensure(?: that)?|consider|by)\\s+)';

/** Nouns for the output of a model. */
const modelOutput = '(?:response|answer|reply|replies|responses|answers|elucidation|completion|output)';
/** Nouns that mean the model's output only if the line asks to change them. */
const changedNouns =
  '(?:message|summary|explanation|text|writing|final answer|sentences?|words?|paragraphs?)';
const workNouns =
  '(?:code(?:base)?|implementation|solution|algorithm|program|script|application|project|software|function)';

const insertVerbs =
  '(?:add|adding|append|appending|attach|insert|inserting|include|including|inclusion|embed|embedding|integrat\\w+|incorporat\\w+|introduc\\w+|employ\\w*|utili[sz]\\w+|leverag\\w+|use|using|apply|blend\\w*|weav\\w+|woven|merg\\w+|inject\\w*|assimilat\\w+|featur\\w+|plac\\w+|put|addition|implement\\w*)';
const insertedThings =
  '(?:following|below|subsequent|next|given|attached|this)\\s+(?:\\w+\\s+)?(?:code|script|command|snippet)s?\\b';

const orderForms: readonly RegExp[] = [
  // Refers to earlier instructions.
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|other|former|original)\b.{0,30}\b(?:instructions?|prompts?|guidelines|directives|orders|messages)\b/u,
  /\b(?:ignore|disregard|forget)\b.{0,20}\b(?:everything|all) (?:above|before|you|that (?:you|was))\b/u,
  /\b(?:system prompt|developer message|jailbreak|end of (?:the )?(?:document|context|user)\b.{0,20}(?:>|\]|---|===)|(?:new|updated|additional) instructions?\s*:)/u,
  // Addresses a model by name.
  /\b(?:dear|hey|attention,?|note to|instructions? (?:for|to)|message (?:for|to)|if you are|you are) (?:an? |the |any |all )?(?:\w+ )?(?:ai|a\.i\.|assistants?|ai agents?|llms?|chatbots?|language models?)\b/u,
  /\bas an? (?:ai|a\.i\.|llm|chatbot|language model|ai (?:agent|assistant|model))\b.{0,80}\byou\b/u,
  /^[\s>*"'-]*(?:assistant|system)\s*:\s*(?=.*\b(?:you|ignore|must|do not|never|always)\b)/u,
  /<\/?(?:system|information|important|instructions?|admin|prompt|tool_call|function_calls?)>/u,
  /<\/?sonde-material\b|<\|im_(?:start|end)\|>/u,
  /^[\s>*"'-]*(?:assistant|system)\s*:\s*(?:set|start|run|call|execute|delete|send|forget|remember|obey|make|write) (?:up |an? |all |every|the |this |your )/u,
  /\b(?:for|to|tells?|told) (?:every|any|each|all) (?:other )?(?:ai )?(?:assistants?|ai agents?|llms?|chatbots?|language models?)\b/u,
  /(?:^|[.!?:;]\s+)(?:ai )?(?:assistants|ai agents|llms|chatbots|language models) (?:that|who|which) .{0,60}\b(?:ask|must|obey|write|send|never|always)\b/u,
  /\byou are (?:now )?(?:the |an? )?(?:administrator|admin|owner|superuser|root user)\b.{0,40}\bnow\b|\byou are now (?:the |an? )?(?:administrator|admin|owner|superuser|root user)\b/u,
  /\bwhat you (?:remember|know) (?:about|of) (?:your|the) (?:owner|user|person)\b/u,
  /\byou are now to\b/u,
  /\byou are now\b.{0,40}\b(?:an?|the|in)\b.{0,40}\b(?:mode|model|assistant|ai|persona|character|unrestricted|free)\b/u,
  // Refers to the output of a model.
  new RegExp(`\\b(?:your|the) (?:\\w+ )?${modelOutput} (?:must|should|has to|needs? to|is to|will)\\b`, 'u'),
  new RegExp(
    `\\b(?:in|to|into|of|with|for|by|at the (?:end|beginning|start) of) your (?:\\w+ )?${modelOutput}\\b`,
    'u',
  ),
  new RegExp(`${orderStart}\\w+ (?:\\w+ ){0,8}?your (?:\\w+ )?${modelOutput}\\b`, 'u'),
  new RegExp(
    `${orderStart}(?:translate|encode|encrypt|render|rewrite|write|format|convert|express|transform|present|phrase|obfuscate|reverse|shift|scramble|encipher|modify|alter|change|replace|embellish|enhance) (?:all |each |every |the )?(?:\\w+ ){0,3}?your ${changedNouns}\\b`,
    'u',
  ),
  new RegExp(
    `${orderStart}(?:respond|reply|answer|speak|talk|communicate)\\b(?: \\w+)? (?:in|as|with|using|only|like|by|entirely|solely)\\b`,
    'u',
  ),
  /\bthe (?:response|answer|code|text|summary|solution) (?:that )?you (?:develop|write|give|generate|produce|provide|return|create)\b/u,
  // Asks to put something into a work.
  new RegExp(`\\b${insertVerbs}\\b.{0,80}\\b(?:${insertedThings})`, 'u'),
  new RegExp(`\\b(?:${insertedThings}).{0,80}\\b${insertVerbs}\\b`, 'u'),
  new RegExp(`\\b(?:${insertedThings}).{0,80}\\byour (?:\\w+ )?${workNouns}\\b`, 'u'),
  // Sends the reader to an address.
  /\bclick (?:on )?(?:here|this link|the link|the (?:following|below) link|below)\b.{0,120}(?:https?:|www\.)/u,
  /(?:^|[.!?:;"'>|]\s*)(?:please )?(?:send|forward|e-?mail|upload|transfer|wire|exfiltrate|post|submit|share|disclose|reveal)\b.{0,100}\b(?:to|at|with)\b.{0,40}(?:https?:\/\/|www\.|[\w.]+@[\w-]+\.\w|\b[a-z]{2}\d{2}[a-z\d]{10,})/u,
];

/**
 * Actions that an agent could perform for the author of the line: a verb at its beginning, and a thing that agents can
 * access.
 */
const actionForms: readonly RegExp[] = [
  /^(?:please )?(?:re)?schedule (?:an?|the|my|our) \b.{0,80}\b(?:meeting|call|appointment|event|interview|reminder|delivery|posts?|session)\b/u,
  /^(?:please )?(?:set|create|add|make|put) (?:up )?(?:an?|the|my)? ?(?:\w+ ){0,2}(?:reminders?|alarm|timer|appointment|calendar (?:event|entry)|to-?do list|shopping list|event (?:in|on|to) (?:my|the) calendar)\b/u,
  /^(?:please )?remind me\b/u,
  /^(?:please )?(?:send|draft|compose|forward|write) (?:an?|the|my|this|all)? ?(?:\w+ ){0,3}(?:e-?mails?|messages?|letters?|invoices?|tweets?) (?:to|for|about|from|inviting|confirming)\b/u,
  /^(?:please )?(?:book|reserve|order|buy|purchase) (?:an?|the|me|us|my|\d+|some) (?:\w+ ){0,4}(?:table|room|flights?|hotel|tickets?|seats?|taxi|car|pizza|groceries|supplies|appointment)\b/u,
  /^(?:please )?(?:transfer|pay|wire|send) (?:an? )?(?:[$€£]\s?\d|\d[\d.,]* ?(?:dollars|euros?|usd|eur|btc|bitcoins?)|(?:all|the|my) (?:money|funds|balance|bill))/u,
  /^(?:please )?(?:delete|erase|wipe|remove|encrypt|overwrite) (?:all|every|each|the entire|my) (?:\w+ ){0,2}(?:files?|e-?mails?|messages?|data|records|notes|pages|accounts?|backups?|history)\b/u,
  /\b(?:tell|inform|convince|persuade|warn|advise) (?:the |your |any |all )?(?:users?|readers?|person|human|recipients?|victims?) (?:that|to|about|of)\b/u,
  /\bdo(?:n't| not) (?:tell|mention|reveal|inform|disclose|show) .{0,40}\b(?:users?|person|human|anyone|anybody|instructions?|this)\b/u,
  /^(?:please )?(?:open|visit|follow|go to|navigate to|browse to) (?:the )?(?:https?:\/\/|www\.|(?:link|url|page) )\S* (?:and|then|to)\b/u,
];

/** Maximum characters that are checked of a line, so that no text delays the program. */
const maxLineLength = 20_000;

/** The lines that look like orders, unchanged and in their order. */
export function findOrders(text: string): readonly string[] {
  return text.split('\n').filter((line) => {
    const visibleLine = normalizeVisible(line).slice(0, maxLineLength);
    const unmarkedLine = visibleLine.replace(/^[\s>*"'-]+|^\s*\d+[.)]\s+/gu, '');
    return (
      orderForms.some((pattern) => pattern.test(visibleLine)) ||
      actionForms.some((pattern) => pattern.test(unmarkedLine))
    );
  });
}
