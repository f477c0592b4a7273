/**
 * Synonyms that programmers use, written by hand. Used for questions and keywords, since a bug report quotes the code
 * already.
 */

/** Groups of a word and its abbreviations. A word matches its abbreviations, and the reverse. */
const abbreviations = `
argument arg|parameter param|attribute attr|string str|integer int|boolean bool|character char|dictionary dict
number num|numeric num|object obj|function func fn|method meth|variable var|value val|index idx|database db
directory dir folder|configuration config conf cfg|configure config|environment env|application app|message msg
error err|exception exc|request req|response resp|reference ref|temporary tmp temp|initialize init
initialization init|initialise init|document doc|documentation docs doc|specification spec|average avg mean
maximum max|minimum min|maximal max|minimal min|length len|count cnt|position pos|previous prev|current cur
source src|destination dest dst|image img|picture img image|command cmd|column col|element elem|address addr
password passwd pwd|execute exec run|execution exec|expression expr|regular regex|regexp regex|context ctx
connection conn|package pkg|library lib|utility util|authentication auth|authorization auth|authenticate auth
identifier id ident|information info|synchronous sync|asynchronous async|synchronize sync|iterator iter
iterate iter|coordinates coords|matrix mat|array arr ndarray|vector vec|dataframe df|frame df|standard std
deviation std|statistics stats|calculate calc compute|calculation calc|difference diff|multiply mul|divide div
subtract sub|distribution dist|distance dist|sequence seq|original orig|generate gen|generator gen|permission perm
process proc|processor proc|allocate alloc|allocation alloc|buffer buf|pointer ptr|operation op|operator op
property prop|properties props|repository repo|separator sep delimiter|delimiter sep|second sec|millisecond ms
minute min|timestamp ts|hexadecimal hex|binary bin|decimal dec|definition def|define def|declaration decl
evaluate eval|evaluation eval|implementation impl|implement impl|instance inst|language lang|level lvl|list lst
memory mem|namespace ns|network net|option opt|output out|parent par|primary pri|public pub|random rand rng
receive recv|register reg|registry reg|return ret|session sess|signature sig|statement stmt|table tbl
transaction tx txn|translate trans|transform trans|version ver|vocabulary vocab|window win|extension ext
navigation nav|button btn|event evt|administrator admin|certificate cert|credential cred|hostname host
horizontal horiz|vertical vert|kubernetes k8s|internationalization i18n|localization l10n
python py|python3 py|python2 py|javascript js|typescript ts|golang go|rust rs|ruby rb|csharp cs|markdown md
postgresql postgres`;

/** Pairs: a query for the first word also matches the second, but not the reverse. */
const synonyms = `
remove delete|delete remove|erase remove|create make|make create|get fetch|fetch get|retrieve get|find search
search find|convert to|cast convert|transform convert|check is|verify check|validate check|test check
determine check|print show|display show|show display|append add|insert add|begin start|start begin|stop end
end stop|finish end|terminate kill|kill terminate|quit exit|exit quit|change set|modify change|change modify
update modify|edit modify|invert reverse|reverse invert|combine merge|merge join|join merge|concatenate concat
concatenate join|duplicate copy|copy clone|clone copy|load read|read load|save write|write save|dump write
store save|parse read|sort order|split tokenize|strip trim|trim strip|unique distinct|distinct unique
duplicate unique|deduplicate unique|empty blank|blank empty|whitespace space|equal same|same equal|compare equal
biggest max|largest max|highest max|greatest max|smallest min|lowest min|least min|upper uppercase
lower lowercase|uppercase upper|lowercase lower|capital upper|file filename|path filename|folder directory
plot draw|draw plot|graph plot|chart plot|loop iterate|call invoke|invoke call|run execute|launch start
truncate cut|cut trim|skip ignore|ignore skip|wait sleep|pause sleep|zip compress|compress zip|decompress unzip
encrypt cipher|enable on|disable off|allow permit|wrong invalid|bad invalid|broken invalid|crash error|fail error`;

const abbreviationTable = parseTable(abbreviations, true);
const synonymTable = parseTable(synonyms, false);

function parseTable(text: string, bothWays: boolean): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, Set<string>>();
  const add = (word: string, other: string): void => {
    const others = table.get(word) ?? new Set();
    table.set(word, others.add(other));
  };
  for (const entry of text.trim().split(/[|\n]/)) {
    const [word, ...others] = entry.split(' ') as [string, ...string[]];
    for (const other of others) {
      add(word, other);
      if (bothWays) add(other, word);
    }
  }
  return new Map([...table].map(([word, others]) => [word, [...others]]));
}

const none: readonly string[] = [];

/** The abbreviations of a word, or the words that it abbreviates. `word` is in lower case and singular. */
export function findAbbreviations(word: string): readonly string[] {
  return abbreviationTable.get(word) ?? none;
}

export function findSynonyms(word: string): readonly string[] {
  return synonymTable.get(word) ?? none;
}
