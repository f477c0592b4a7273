/** For C: headers, which other files include. */
export const isHeader = (path: string): boolean => !/\.(?:c|cc|cpp|cxx)$/i.test(path);
