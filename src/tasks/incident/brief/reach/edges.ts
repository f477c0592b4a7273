/**
 * Finds which services depend on each other, by calls, by messages, rows and labels that name two of them, by messages
 * that both write, and by changes. The direction does not matter: load spreads from a caller to what it calls, and
 * failures spread the other way.
 */

import { type Facts, serviceOf } from '../facts.ts';
import type { CallGraph } from '../outside/call-graph.ts';
import type { StateSeen } from '../state/condition.ts';
import { listUniqueServers } from '../state/servers.ts';
import { isBad, isWorse, maskNumbers } from '../symptoms.ts';
import { type Edge, listOwnParts, splitName } from './edge.ts';
import { createMentionFinder } from './mentions.ts';

interface LogStatement {
  readonly speaker: string;
  readonly text: string;
  readonly isTrouble: boolean;
  readonly evidence: string;
}

/** All messages and spans of named services. Of those that differ only in numbers, the first. */
function listLogStatements({ lines, patterns, spans }: Facts): readonly LogStatement[] {
  const seen = new Set<string>();
  const all = [
    ...patterns.map((logPattern) => ({
      ...logPattern,
      text: logPattern.example,
      isTrouble: isWorse(logPattern) && isBad(logPattern.level),
    })),
    ...lines.map((logLine) => ({ ...logLine, isTrouble: isBad(logLine.level) })),
    ...spans.map((span) => ({
      ...span,
      text: `${span.name} ${Object.values(span.attributes).join(' ')}`,
      isTrouble: span.failed,
    })),
  ];
  return all.flatMap(({ service, text, isTrouble, evidence }) => {
    const key = `${service}/${isTrouble}/${maskNumbers(text)}`;
    if (service === null || seen.has(key)) return [];
    seen.add(key);
    return [{ speaker: service, text, isTrouble, evidence }];
  });
}

const shorten = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 120);

export function findEdges(
  facts: Facts,
  graph: CallGraph,
  entities: ReadonlySet<string>,
  states: readonly StateSeen[],
): readonly Edge[] {
  const messages = listLogStatements(facts);
  return [
    ...findCallEdges(facts, graph),
    ...findNameEdges(messages, entities, mapAddresses(facts)),
    ...findSeriesEdges(facts, entities),
    ...findRowEdges(facts, entities),
    ...findServerEdges(facts, messages, states, entities),
    ...findMessageEdges(messages),
    ...findSharedNameEdges(messages, facts),
    ...findChangeEdges(facts, entities),
    ...findFamilyEdges(entities),
  ].filter(({ from, to }) => from !== to);
}

function findCallEdges({ spans }: Facts, { callees }: CallGraph): readonly Edge[] {
  return [...callees].flatMap(([from, all]) =>
    [...all].map((to) => ({
      kind: 'call' as const,
      from,
      to,
      strength: 0.95,
      evidence: spans
        .filter(({ service }) => service === to)
        .map(({ evidence }) => evidence)
        .slice(0, 1),
      quote: `${from} calls ${to}`,
    })),
  );
}

/** Names of objects by their addresses, from fields such as `internal_ip`. */
function mapAddresses({ tables }: Facts): ReadonlyMap<string, string> {
  return new Map(
    tables.flatMap(({ rows: all }) =>
      all.flatMap((row) =>
        Object.values(row).flatMap((value) =>
          typeof value === 'string' &&
          /^\d{1,3}(\.\d{1,3}){3}$/.test(value) &&
          typeof row['name'] === 'string'
            ? [[value, row['name']] as const]
            : [],
        ),
      ),
    ),
  );
}

function findNameEdges(
  logStatements: readonly LogStatement[],
  entities: ReadonlySet<string>,
  addresses: ReadonlyMap<string, string>,
): readonly Edge[] {
  const mentions = createMentionFinder(entities, addresses);
  return logStatements.flatMap(({ speaker, text, isTrouble, evidence }) =>
    mentions(text, isTrouble).map(({ name, strength }) => ({
      kind: 'named' as const,
      from: speaker,
      to: name,
      strength,
      evidence: [evidence],
      quote: shorten(text),
    })),
  );
}

/** Edges by the labels of a series, or by a series whose name contains another service. */
function findSeriesEdges({ series }: Facts, entities: ReadonlySet<string>): readonly Edge[] {
  const namedEntities = [...entities]
    .map((name) => ({ name, parts: listOwnParts(name) }))
    .filter(({ parts }) => parts.length > 0);
  return series.flatMap((series) => {
    const from = serviceOf(series);
    if (from === null) return [];
    const createEdge = (to: string, strength: number): Edge => ({
      kind: 'measured',
      from,
      to,
      strength,
      evidence: [series.evidence],
      quote: `${series.name} of ${from}`,
    });
    const words = new Set(splitName(series.name));
    return [
      ...Object.values(series.labels).flatMap((value) =>
        entities.has(value) ? [createEdge(value, 0.9)] : [],
      ),
      ...namedEntities.flatMap(({ name, parts }) =>
        parts.every((part) => words.has(part)) ? [createEdge(name, 0.7)] : [],
      ),
    ];
  });
}

function findRowEdges({ tables }: Facts, entities: ReadonlySet<string>): readonly Edge[] {
  return tables.flatMap(({ rows: all, evidence }) =>
    all.flatMap((row) => {
      const rowNames = [...new Set(Object.values(row))].filter(
        (value): value is string => typeof value === 'string' && entities.has(value),
      );
      const [from, ...others] = rowNames;
      return others.map((to) => ({
        kind: 'row' as const,
        from: from!,
        to,
        strength: 0.9,
        evidence: [evidence],
        quote: `one object names ${from} and ${to}`,
      }));
    }),
  );
}

/**
 * Connects a client to a server if the client reports or prints the server's state, and there is only one such server.
 */
function findServerEdges(
  facts: Facts,
  logStatements: readonly LogStatement[],
  states: readonly StateSeen[],
  entities: ReadonlySet<string>,
): readonly Edge[] {
  const servers = listUniqueServers(facts, entities);
  return servers.flatMap(({ name, word, product }) => [
    ...logStatements
      .filter(({ speaker, text, isTrouble }) => isTrouble && speaker !== name && word.test(text))
      .map(({ speaker, text, evidence }) => ({
        kind: 'server' as const,
        from: speaker,
        to: name,
        strength: 0.75,
        evidence: [evidence],
        quote: shorten(text),
      })),
    ...states
      .filter(({ object, service }) => object === product && service !== null && service !== name)
      .map(({ service, evidence, quote: text }) => ({
        kind: 'server' as const,
        from: service!,
        to: name,
        strength: 0.75,
        evidence: [evidence],
        quote: shorten(text),
      })),
  ]);
}

/** Two services that log this many equal words in sequence log the same message. */
const minCommonWords = 5;

/** Connects a server to the client that logs the server's messages. */
function findMessageEdges(logStatements: readonly LogStatement[]): readonly Edge[] {
  const speakersByRun = new Map<string, Map<string, LogStatement>>();
  for (const logStatement of logStatements.filter(({ isTrouble }) => isTrouble)) {
    const words =
      maskNumbers(logStatement.text)
        .toLowerCase()
        .match(/[a-z#][\w'/-]*/g) ?? [];
    for (let k = 0; k + minCommonWords <= words.length; k += 1) {
      const run = words.slice(k, k + minCommonWords).join(' ');
      if (run.length < 24) continue;
      const speakers = speakersByRun.get(run) ?? new Map<string, LogStatement>();
      if (!speakers.has(logStatement.speaker)) speakers.set(logStatement.speaker, logStatement);
      speakersByRun.set(run, speakers);
    }
  }
  // A message that more than three services write connects none of them.
  return [...speakersByRun].flatMap(([run, speakers]) => {
    const [first, ...others] = [...speakers.values()];
    if (first === undefined || others.length === 0 || speakers.size > 3) return [];
    return others.map((other) => ({
      kind: 'message' as const,
      from: first.speaker,
      to: other.speaker,
      strength: 0.8,
      evidence: [first.evidence, other.evidence],
      quote: run,
    }));
  });
}

/** Names of tables, queues, keys and files: several parts, and no hash, number or address. */
const namePattern = /(?<![\w/.-])[a-z][a-z0-9]*(?:[_:][a-z0-9]+)+(?![\w/(=-])/gi;
const isThing = (name: string): boolean =>
  name.length > 6 &&
  !/\d{5,}|[0-9a-f]{8,}/i.test(name) &&
  !/^(https?|trace|span|request|user|client|duration|status|error)[_:]/i.test(name);

/** Connects services that name the same table, queue or key, if at most three do. */
function findSharedNameEdges(logStatements: readonly LogStatement[], { series }: Facts): readonly Edge[] {
  const speakersByName = new Map<string, Map<string, string>>();
  const addNames = (text: string, speaker: string, evidence: string): void => {
    for (const name of new Set(
      (text.match(namePattern) ?? []).filter(isThing).map((thing) => thing.toLowerCase()),
    )) {
      const speakers = speakersByName.get(name) ?? new Map<string, string>();
      if (!speakers.has(speaker)) speakers.set(speaker, evidence);
      speakersByName.set(name, speakers);
    }
  };
  for (const { speaker, text, evidence } of logStatements) addNames(text, speaker, evidence);
  for (const item of series) {
    const speaker = serviceOf(item);
    const labelText = [...Object.values(item.labels), ...(/\{(.*)\}/.exec(item.name)?.slice(1) ?? [])].join(
      ' ',
    );
    if (speaker !== null) addNames(labelText, speaker, item.evidence);
  }
  return [...speakersByName].flatMap(([name, speakers]) => {
    const [first, ...others] = [...speakers];
    if (first === undefined || speakers.size > 3) return [];
    return others.map(([to, evidence]) => ({
      kind: 'message' as const,
      from: first[0],
      to,
      strength: 0.7,
      evidence: [first[1], evidence],
      quote: name,
    }));
  });
}

/** Connects two services if the configuration of one names the other. */
function findChangeEdges({ changes: all }: Facts, entities: ReadonlySet<string>): readonly Edge[] {
  const mentions = createMentionFinder(entities);
  return all.flatMap(({ service, title, paths, diff, evidence }) =>
    service === null
      ? []
      : mentions(`${title} ${paths.join(' ')} ${diff ?? ''}`, false).map(({ name, strength }) => ({
          kind: 'change' as const,
          from: service,
          to: name,
          strength: strength * 0.8,
          evidence: [evidence],
          quote: shorten(title),
        })),
  );
}

/** Connects services whose names share a word, such as stock-api and stock-db. */
function findFamilyEdges(entities: ReadonlySet<string>): readonly Edge[] {
  const namesByPart = new Map<string, string[]>();
  for (const name of entities)
    for (const part of listOwnParts(name)) namesByPart.set(part, [...(namesByPart.get(part) ?? []), name]);
  return [...namesByPart].flatMap(([part, all]) =>
    all.flatMap((from, k) =>
      all.slice(k + 1).map((to) => ({
        kind: 'family' as const,
        from,
        to,
        strength: 0.6,
        evidence: [],
        quote: `both are called ${part}`,
      })),
    ),
  );
}
