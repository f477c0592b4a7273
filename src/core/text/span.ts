/** Lines of a text, 1-based and inclusive. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** A part of a text in UTF-16 units; the end is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Lines of a file, 1-based and inclusive. */
export interface FileSpan extends LineSpan {
  readonly path: string;
}
