/** All limits of the intake: for an alert, and for a message with alerts. */

export const alertLimits = Object.freeze({
  /** Maximum bytes of one message, both as sent and unpacked. Alertmanager sends whole groups and cuts none. */
  bodyBytes: 4_000_000,
  /** Maximum bytes of all messages that are being received at the same time. */
  openBytes: 64_000_000,
  /** Maximum alerts of one message. */
  alerts: 10_000,
  /** Maximum length of a stored alert. A longer one is cut, with a note that says so. */
  characters: 200_000,
  /** Maximum characters of one text in an alert that is cut. */
  textCharacters: 4_000,
  /** Maximum number of items of a list or an object in an alert that is cut. */
  items: 200,
  /** Maximum depth of nested lists and objects; anything deeper is replaced by a mark. */
  depth: 64,
  /** The accepted compressions (`content-encoding`). */
  encodings: ['identity', 'gzip', 'deflate', 'br'],
} as const);
