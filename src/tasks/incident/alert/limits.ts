/** All limits of the intake: for an alert, and for a message with alerts. */

export const alertLimits = Object.freeze({
  /** Bytes of one message, as it is sent and again unpacked. Alertmanager sends a group at a time, and cuts none. */
  bodyBytes: 4_000_000,
  /** Maximum bytes of all messages that are being received at the same time. */
  openBytes: 64_000_000,
  /** Alerts of one message. */
  alerts: 10_000,
  /** Maximum length of a stored alert. A longer one is cut, with a note that says so. */
  characters: 200_000,
  /** Characters of one text in a cut alert. */
  textCharacters: 4_000,
  /** Maximum number of items of a list or an object in an alert that is cut. */
  items: 200,
  /** Lists and objects within each other; what is deeper is cut out, and says so. */
  depth: 64,
  /** How a message may be packed (`content-encoding`). */
  encodings: ['identity', 'gzip', 'deflate', 'br'],
} as const);
