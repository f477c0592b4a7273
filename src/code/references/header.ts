/** Of C: what others bring in. */
export const isHeader = (path: string): boolean => !/\.(?:c|cc|cpp|cxx)$/i.test(path);
