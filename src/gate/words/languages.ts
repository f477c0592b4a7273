/** Which language a text is in, as far as a rule holds for English alone. */

const english =
  /\b(?:the|is|are|was|were|of|and|to|by|with|from|for|has|have|had|that|it|this|will|not|an?|at|on|in|does|its|they|we)\b/iu;
const others =
  /(?<![\p{L}\p{N}_])(?:der|das|und|nicht|ist|ein|eine[mnrs]?|den|dem|von|vom|zum?r?|mit|für|auf|am|im|le|les|des|du|et|est|une|dans|pour|ne|pas|el|los|las|un|una|y|es|por|para|con|il|lo|gli|di|che|per|del|della|non|het|een|de|van|niet|och|att|det|som|na|z|w|się|jest|nie|az|és|nem|não|uma|os|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}]+)(?![\p{L}\p{N}_])/iu;

/** Whether a text has English words, and none that only other languages have. */
export const isEnglish = (text: string): boolean => {
  const bare = text.replace(/`[^`]*`|"[^"]*"/g, ' ');
  return english.test(bare) && !others.test(bare);
};

const german =
  /(?<![\p{L}\p{N}_])(?:der|das|dem|den|des|und|nicht|ist|sind|wird|werden|ein|eine[mnrs]?|von|vom|zum|zur|mit|für|auf|im|bei|oder|kein\p{L}*)(?![\p{L}\p{N}_])/iu;

/** Whether a text is German, where every noun has a capital. */
export const isGerman = (text: string): boolean => german.test(text) && !isEnglish(text);

/** Whether a text has words that only other languages than English have. */
export const isForeignText = (text: string): boolean => others.test(text.replace(/`[^`]*`|"[^"]*"/g, ' '));
