/**
 * Finds planted log lines, which somebody wrote to mislead the reader (prompt injection): they address a reader, or
 * speak of changes and of blame, which no program logs. A planted line ties no change to the alert and supports no
 * verdict.
 */
import type { Change } from '../../../core/index.ts';
import { normalizeUnicode } from '../../../gate/index.ts';
import type { Facts } from './facts.ts';
import { parseFrames } from './ties/frame.ts';

const letters = String.raw`\p{L}\p{M}\p{N}_`;
/** Returns a pattern for words that begin with one of the stems, or equal one of the words in `whole`. */
const wordPattern = (stems: string, whole = ''): RegExp => {
  const joinAlternatives = (text: string): string =>
    text
      .trim()
      .split(/\s*\|\s*|\s*\n\s*/)
      .filter((part) => part !== '')
      .join('|');
  const all = [
    `(?:${joinAlternatives(stems)})`,
    ...(whole === '' ? [] : [`(?:${joinAlternatives(whole)})(?![${letters}])`]),
  ];
  return new RegExp(`(?<![${letters}.$/-])(?:${all.join('|')})`, 'iu');
};
/** Returns a pattern for a script without spaces between words. */
const characterPattern = (text: string): RegExp => new RegExp(text, 'u');

/** Words for a reader or an investigator. */
const readerWords = wordPattern(
  `investigator | triage | incident (?:commander|manager|lead) | analyst | whoever | anyone (?:who )?read | assistant | chat ?bot | large language model | language model
  ermittler | ermittlung | untersuch | analytiker | assistent | sprachmodell | leser | wer (?:das|dies)
  enquêteur | enqueteur | analyste | lecteur | lectrice | modèle de langage | assistant
  analista | investigador | asistente | lector | quien lea | quien lee | modelo de lenguaje
  investigatore | assistente | lettore | chi legge | modello linguistico
  investigadora? | leitor | quem l[eê] | modelo de linguagem
  onderzoeker | lezer | wie dit leest | taalmodel
  śledcz | analityk | asystent | czytelnik
  расследован | следовател | аналитик | ассистент | помощник | читател | языков\\p{L}* модел
  dedektif | asistan | okuyan
  utredare | utreder | läsare | læser | leser`,
  `AI | A\\.I\\. | LLM | GPT(?:-?\\d\\w*)? | ChatGPT | Claude | Gemini | Copilot | SRE | the reader | reviewer | responder | on-?call
  KI | IA | ИИ | yapay zek[aâ]`,
);
/** Phrases that address somebody. */
const addressPhrases = wordPattern(
  `note (?:to|for) | summary (?:to|for) | notes? to | message (?:to|for) | memo (?:to|for) | reminder (?:to|for) | hint (?:to|for) | attention
  instructions? (?:to|for) | for the attention | addressed to | to the | to any | to all | to whom
  liebe | hallo | hinweis | achtung | nachricht | an die | an den | an alle | für die | für den
  chère | bonjour | à l['’]attention | note (?:à|pour) | message (?:à|pour) | pour l
  para (?:el|la|los|las|quien|o|os|a|as|quem) | estimad | querid | nota (?:para|al) | atenci[oó]n
  attenzione | per (?:il|lo|la|l'|chi)
  aten[cç][aã]o | prezad | aan de | let op
  uwaga | drogi | do (?:analityka|śledczego)
  внимание | уважаем | дорог | для | привет | заметка
  dikkat | sayın`,
  `dear | hello | hi | hey | attn | fyi | cher | hola | caro | cara | ciao | olá | beste | obs | till | til`,
);
/** Instructions to an investigator. */
const instructions = new RegExp(
  [
    '\\b(?:ignore|disregard|forget|skip) (?:everything|anything|all (?:else|other|the)|the (?:rest|others?|metrics|remaining)|other (?:lines|logs|evidence|metrics|commits|changes|services|signals)|(?:all |any |the |your )*(?:previous|prior|above|earlier) (?:instructions?|prompts?|rules|messages))\\b',
    '\\b(?:stop|end|close|finish|conclude) (?:the |this |your )?(?:investigat|analysis)|\\blook no further\\b|\\bnothing else (?:matters|is to blame)\\b',
    '\\b(?:investigation|analysis) (?:is|was) (?:over|complete|finished|done|closed)\\b',
    "\\byou(?:'re| are| who are)? (?:now )?(?:reading|investigating|analy[sz]ing) (?:this|these|the)\\b|\\bif you (?:read|see) (?:this|these)\\b|\\byou are (?:now )?(?:an?|the) (?:AI|assistant|model|agent)\\b",
    '\\b(?:whoever|anyone|anybody|those) (?:who )?(?:reads?|is reading|investigates?|is investigating|analy[sz]es?)\\b|\\bto (?:whoever|any (?:AI|agent|model|assistant))\\b',
    '\\b(?:AI|LLM|language model|assistant|agent)s?(?: \\w+)? (?:must|should|shall|are to|is to) (?:conclude|answer|report|say|blame|state|respond|treat|consider|assume|attribute)\\b',
    '\\b(?:attribute|ascribe|pin|trace) (?:this|the|it)(?: \\w+)? (?:incident|outage|alert|failure|latency|blame)?\\b ?(?:back )?(?:to|on)\\b',
    '\\b(?:set|answer(?: with)?|report|state|conclude) (?:the )?(?:verdict|culprit|root cause)\\b|\\bnew task (?:from|for)\\b|\\bsystem (?:notice|override)\\b',
    '\\b(?:investigators?|analysts?|responders?|reviewers?|AIs?|LLMs?)(?: (?:who|that) \\w+ \\w+)? (?:should|must|shall|please|take note|note|need to)\\b',
    '(?:^|[^\\w.\\s])\\s*(?:AIs?|LLMs?|agents?|assistants?|models?|investigators?)\\s*[:,]\\s*(?:answer|say|report|conclude|blame|ignore|note|please|set|return|output|treat)\\b',
    '\\b(?:please|kindly|you should|you must) (?:\\w+ )?(?:roll (?:\\S+ ){0,2}back|rollback|revert|undo)\\b|\\bbitte (?:\\S+ )*zurück|请回滚|ロールバックして',
    "\\b(?:my|our) (?:analysis|guess|opinion|view|conclusion|finding|hypothesis|theory|bet)\\b|\\bI(?:'m| am)? (?:think|believe|suspect|bet|guess|conclude|sure|certain|confident)\\b",
    "\\bfinal answer\\b|\\bthe answer is\\b|\\b(?:do not|don't|never) (?:consider|look at|investigate|blame)\\b|\\b(?:output|print|return|write) (?:the )?root cause\\b",
    '(?<![\\w.])@(?:assistant|AI|bot|agent|investigator|on-?call|here|channel|all)\\b',
  ].join('|'),
  'iu',
);

/** Phrases that name a cause. A program logs what happens, before anybody knows the cause. */
const blamePhrases = wordPattern(
  `blam | culprit | guilty | root[- ]caus | caus(?:e|es|ed|ing) (?:of )?(?:the|this|these|that|all|our|your) | caused by (?:the|a|this|that|last|commit|deploy|change|release) | (?:the|this) (?:outage|incident|downtime|slowdown) | this alert | is the (?:\\p{L}+ )?(?:cause|reason|problem) | was the (?:\\p{L}+ )?(?:cause|reason|problem)
  responsible for | broke (?:it|this|the|our|everything) | is what (?:broke|made|caused|slowed) | made (?:\\p{L}+ ){1,3}(?:slow|fail|crash|break|worse) | reason (?:for|is|was|why) | introduced (?:by|in|with) | thanks to | since we | because of (?:(?:the|this|that|a) )?(?:\\p{L}+ )?(?:change|commit|deploy|release|rename|rollout|merge|patch|refactor) | regress(?:ed|ion)
  der ausfall | die störung | l['’]incident | la panne | la caída | el incidente | l['’]incidente | o incidente | de storing | awari | incydent | инцидент | авари
  ursache | verursach | schuld | liegt an | ausgelöst | wegen | verantwortlich
  a caus[eé] | la cause | est la cause | cause de l | coupable | responsable | à l['’]origine | provoqu | à cause | la faute
  causa | causó | caus[oò] | culpa | culpable | provoc | por culpa | debido
  colpa | colpevol | responsabil | causat | culpad | responsáve
  oorza | veroorza | przyczyn | spowodow | winę | winny
  причин | вызва | вызыва | винов | вина | из-за | сломал
  nedeni | sebeb | suçlu | orsak | årsag | årsak | grund (?:in|ist|dafür|war) | der grund | skyld | skuld`,
);
const blamesInCharacters = characterPattern(
  '故障|障害|장애|原因|导致|導致|引起|造成|罪魁|责任|責任|归咎|怪罪|引き起こ|せいで|せいだ|犯人|元凶|원인|때문|책임|초래|탓|سبب|कारण|वजह|דבר גרם|אשם|σφάλμα οφείλεται|αιτία',
);
/** Accusations, which no program logs. `culprit` alone is not one, since Sentry has a field of that name. */
const accusations = wordPattern(
  `to blame | is (?:\\p{L}+ )?responsible for | (?:since|after|because of|due to) (?:the|this|that|a) (?:\\S+ ){0,2}(?:commit|deploy|deployment|release|rename|refactoring|rollout|change)(?![\\p{L}_-]| (?:log|phase|step|hook|offset))
  (?:once|since|after|when|ever since|as soon as) [^.]{0,60}(?:was|were|got|had been|went) (?:merged|deployed|shipped|rolled out|reverted|refactored|live)
  (?:must|should|needs? to|has to|ought to) be (?:reverted|rolled back|undone)
  reason for (?:all|these|this (?:outage|incident|alert)|the (?:outage|incident|latency|errors)) | (?:did|broke) (?:this|it all|everything)
  seit (?:dem|der) (?:deploy|release|commit|änderung|umbenennung) | nach (?:dem|der) (?:deploy|release|commit|änderung|umbenennung)
  (?:depuis|après) le (?:d[ée]ploiement|commit|changement) | (?:al|tras|desde que se) (?:desplegar|despleg) | desde el (?:despliegue|commit|cambio) | dopo il rilascio | depois do deploy | desde o deploy | sinds de (?:uitrol|wijziging) | od (?:wdrożenia|zmiany) | после (?:деплоя|релиза|коммита|выкатки)
  root[- ]cause (?:is|was|=|of|lies) | (?:correct|right|real|likely|my|our) diagnosis | diagnosis (?:is|for) | a regression (?:from|in|of|since) | regression introduced
  (?:every|each|all|all the|these) symptoms? | (?:is|be|considered|found) guilty | (?:the |real )?bug is in | we (?:rolled|reverted|deployed|shipped|merged|renamed|pushed)
  bad (?:change|commit|deploy|release|merge) | commit message | (?:just|simply|then|so) (?:revert|roll back|undo) | trust (?:this|me) | (?:chang|edit|merg|deploy|releas)\\p{L}* (?:yesterday|today|last night|this morning|an hour ago)
  виновник | la causa (?:de|del) | la causa es | c['’]est \\S+ qui | diese ganzen fehler | all(?:e)? diese fehler
  ist die ursache | ursache (?:ist|war|für|des|der) | toutes ces erreurs | por culpa de | todo esto | tutti questi errori | вс[её] (?:сломал|упал) | wszystkie te błędy
  blames? | blamed | blaming | schuldig | coupable | culpable | culpado | colpevole | виноват | suçlu`,
  `(?:the|real|true|only|actual|likely) culprit`,
);
const accusationsInCharacters = characterPattern(
  '罪魁|元凶|犯人|根本原因(?:写成|是)|(?:所有|全部|这些|這些)(?:的)?(?:错误|錯誤|问题|問題)|すべてのエラー|せいで|せいだ|탓|(?:上线|发布|部署|發布)[^，。]{0,4}(?:之后|以后|后|後)[^，。]{0,8}(?:问题|問題|错误|錯誤|变慢|挂了|超时)',
);
/** Words for changes that people make to a program. */
const changeWords = wordPattern(
  `changes? (?:of|in|to|by|from) | changed | edited | changeset | (?:the|this|that|a|last|latest|new|recent|bad|code) change | commits? | deploy | redeploy | releas | rollout | rolled out | roll(?:ed|ing)? back | roll \\S+ back | rollback | revert | revision | pull request | merge | renam | refactor | hotfix | patch | shipped | the diff
  änder | geänd | umbenan | umbenen | ausgeroll | ausliefer | zurückroll | rückgängig
  changement | modifi | déplo | renomm
  cambi | despli | renombr | revert
  modific | rilasci | rinomin | ripristin
  altera | mudan | implant | renome | revert
  wijzig | uitrol | hernoem | terugdraai
  zmian | wdroż | przemianow | wycof
  изменен | коммит | деплой | релиз | переимен | откат | выкат
  değişik | dağıt | ändring | endring | ændring | lansering`,
  `PR ?#?\\d+ | MR ?!?\\d+`,
);
const changesInCharacters = characterPattern(
  '提交|变更|變更|更改|修改|改动|部署|发布|發布|上线|回滚|重命名|改名|コミット|変更|デプロイ|リリース|ロールバック|커밋|변경|배포|릴리스|롤백|تغيير|نشر|बदलाव|कमिट|שינוי|αλλαγή',
);
/** Words for what databases and queues themselves commit, change and release. */
const storeWords =
  /transact|\btx\b|offset|partition|rebalanc|consumer|schema|\braft\b|journal|\bwal\b|\blease\b|\blocks?\b|semaphore|事务|トランザクション|트랜잭션|транзакц|Transaktion|transacci|transaç|transazion/iu;

/** Sonde's own words for a verdict, which a planted line contains so that a model repeats them. */
const verdictWords =
  /\b(?:verdict|culprit|blamed?|root_cause\w*|category)\b["']?\s*(?:[:=]|is)\s*["']?(?:code_change|config_change|no_code_change|code_defect|healthy|unrelated|commit\b|flag\b)|\b(?:code_change|no_code_change|code_defect)\b/i;

/** A commit id. In a field about the build it is ordinary. */
const commitHash = /(?<![\w-])[0-9a-f]{7,64}(?![\w-])/gi;
const fieldOfBuild =
  /(?:version|release|build|revision|rev|sha|commit|image|tag|digest)(?:[_.-]?(?:sha|id|hash))?["']?\s*[=:]\s*["']?[\w./:@+-]*$/i;

function namesCommit(text: string, commits: readonly Change[]): boolean {
  return [...text.matchAll(commitHash)].some(
    ({ 0: found, index }) =>
      /\d/.test(found) &&
      commits.some(({ id }) => id.toLowerCase().startsWith(found.toLowerCase())) &&
      !fieldOfBuild.test(text.slice(0, index)),
  );
}

/** A shorter title may also occur in an ordinary log line. Characters. */
const minTitle = 16;
const normalizeTitle = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
const repeatsTitle = (text: string, commits: readonly Change[]): boolean => {
  const normalized = normalizeTitle(text);
  return commits.some(({ title }) => {
    const name = normalizeTitle(title);
    return name.length >= minTitle && name.split(' ').length >= 3 && normalized.includes(name);
  });
};

/** Returns a pattern for what the author of a commit did: `marta pushed it`. */
function createAuthorPattern(commits: readonly Change[]): RegExp | null {
  const authors = [...new Set(commits.flatMap(({ author }) => author ?? []))].filter(
    (name) => name.length > 2,
  );
  if (authors.length === 0) return null;
  const alternatives = authors.map(escapePattern).join('|');
  return new RegExp(
    `(?<![\\w=:."-])(?:${alternatives})(?:['’]s)? (?:has |just )?(?:push|merg|deploy|ship|commit|chang|edit|renam|refactor|roll|release|broke|did)|(?<![\\w])(?:ask|thank) (?:${alternatives})(?![\\w@.-])`,
    'iu',
  );
}

/** Maximum distance of a word for a reader from the phrase that addresses them. Characters. */
const maxReaderDistance = 40;
function turnsToReader(text: string): boolean {
  const reader = readerWords.exec(text);
  if (reader === null) return false;
  const before = text.slice(Math.max(0, reader.index - maxReaderDistance), reader.index + reader[0].length);
  return addressPhrases.test(before) && !/\bfrom\b/i.test(before);
}
const turnsInCharacters =
  /(?:致|亲爱的|請|请|给|給).{0,8}(?:AI|人工智能|助手|模型|分析|调查|調查|读者|工程师)|(?:AI|人工智能|助手|模型|分析(?:师|員|员)|调查(?:员|人员)|読者|調査|担当者|アシスタント|エージェント|어시스턴트|모델|조사|담당자|분석가).{0,8}(?:请|請|注意|へ|様|さん|各位|께|에게|님)/u;

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns a pattern for a changed file of code that a text names without a line number. Traces and compilers give the
 * number; loggers put the name of their file first, in quotation marks or with its whole path.
 */
function createFilePattern(commits: readonly Change[]): RegExp | null {
  const names = new Set(
    commits.flatMap(({ paths }) =>
      paths.filter((path) => codeFile.test(path)).map((path) => path.slice(path.lastIndexOf('/') + 1)),
    ),
  );
  if (names.size === 0) return null;
  const alternatives = [...names].map(escapePattern).join('|');
  return new RegExp(
    `(?<=[\\s(,;:])(?:[\\w@.-]+/)*(?:${alternatives})(?![\\w/'"\`-]|\\.\\w|[:(]\\s?\\d|,? (?:on )?line)`,
    'u',
  );
}
const codeFile = /\.(?:[cm]?[jt]sx?|py|go|rb|java|kt|rs|php|cs|exs?|scala|swift|c|cc|cpp)$/;

/** Declarations that commits changed, up to their value: `export const label`. */
const declaration =
  /^(?:export |public |private |static |async )*(?:const|let|var|def|func|fn|function|class|type|import)\s+\w+(?:\s+\w+)*/;
const listDeclarations = (commits: readonly Change[]): readonly string[] =>
  commits.flatMap(({ diff }) =>
    (diff ?? '').split('\n').flatMap((line) => {
      const [found = ''] = /^[-+]/.test(line) ? (declaration.exec(line.slice(1).trim()) ?? []) : [];
      return found.split(/\s+/).length < 2 ? [] : [found.replace(/\s+/g, ' ').toLowerCase()];
    }),
  );

/** Returns a test for texts that were written for a reader, or that speak of these commits. */
export function createPlantedTest(commits: readonly Change[]): (text: string) => boolean {
  const files = createFilePattern(commits);
  const authors = createAuthorPattern(commits);
  const declarations = [...new Set(listDeclarations(commits))];
  return (text) => {
    const normalized = normalizeUnicode(text);
    const lowerText = normalized.replace(/\s+/g, ' ').toLowerCase();
    return (
      isForReaders(normalized) ||
      namesCommit(normalized, commits) ||
      repeatsTitle(normalized, commits) ||
      files?.test(normalized) === true ||
      authors?.test(normalized) === true ||
      (parseFrames(normalized).length === 0 &&
        declarations.some((declaration) => lowerText.includes(declaration)))
    );
  };
}

/** Whether a text addresses a reader, or calls a change the cause. */
function isForReaders(text: string): boolean {
  if (instructions.test(text) || verdictWords.test(text)) return true;
  if (turnsToReader(text) || turnsInCharacters.test(text)) return true;
  if ((!storeWords.test(text) && accusations.test(text)) || accusationsInCharacters.test(text)) return true;
  const speaksOfChange = (changeWords.test(text) || changesInCharacters.test(text)) && !storeWords.test(text);
  return speaksOfChange && (blamePhrases.test(text) || blamesInCharacters.test(text));
}

/** The facts without planted lines, patterns and values of spans. */
export function withoutPlanted(facts: Facts): Facts {
  const isPlanted = createPlantedTest(facts.changes.filter(({ kind }) => kind === 'commit'));
  return {
    ...facts,
    lines: facts.lines.filter(({ text }) => !isPlanted(text)),
    patterns: facts.patterns.filter(({ template, example }) => !isPlanted(example) && !isPlanted(template)),
    spans: facts.spans.map((span) => ({
      ...span,
      attributes: Object.fromEntries(
        Object.entries(span.attributes).filter(([, value]) => !isPlanted(value)),
      ),
    })),
  };
}
