/** Words that say nothing about what is searched for. They are removed from a query unless it has no others. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its may ' +
    'might no not of on or our should so such than that the their them then there these they this to was we were ' +
    'what when where which who why will with would you your'
  ).split(' '),
);

/**
 * Other words that people use in questions. In code they occur by chance (`one`, `same`, `named`); since they are often
 * rare there, they would count too much.
 */
const questionWordList = `
  after again all already also any because before being between both does doing done during each either else end ended ends even ever
  every exactly first give given gives go goes happen happened happens here just keep keeps kept know known last like long look looks
  made make makes many mean means more most much name named need needed needs new next old once one only other others out over own
  part place put puts rather really same say says several show shown shows so some still take taken takes tell tells thing things
  two use used uses using via want wanted way ways well where whether while without work works worked yet
  decide decided decides determine determined describe described explain explained find finds found handle handled handles
  actually allowed behave behaves behaviour behavior best better big chosen choose choses come comes different good large often
  possible purpose reason role kind kinds sort sorts implement implemented implementation`;

const questionWords: ReadonlySet<string> = new Set(questionWordList.trim().split(/\s+/));

/** The weight of a question word, relative to other words. */
const questionWordWeight = 0.25;

export const weightInQuestion = (term: string): number => (questionWords.has(term) ? questionWordWeight : 1);
