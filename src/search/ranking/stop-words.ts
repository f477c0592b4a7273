/** Words that say nothing of what is looked for. Left out of a query, unless nothing else is in it. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its may ' +
    'might no not of on or our should so such than that the their them then there these they this to was we were ' +
    'what when where which who why will with would you your'
  ).split(' '),
);
