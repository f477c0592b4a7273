// What LangGraph loads through LangChain and a conversation doesn't use: some 300 files. bin/sonde.mjs puts this file in
// their place; what is asked for after all is loaded then.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Reads a serialised object of LangChain, for which all of its classes are loaded. */
export const load = async (...given) => (await import('@langchain/core/load')).load(...given);

/** The JSON Schema of a graph's state, to draw it. */
export const toJsonSchema = (...given) => require('@langchain/core/utils/json_schema').toJsonSchema(...given);

// LangSmith, a service for traces, is absent: with LANGSMITH_TRACING set, no conversation is sent there either.
export class Client {}

export class RunTree {
  constructor(run) {
    Object.assign(this, run);
  }
  async postRun() {}
  async patchRun() {}
}

export const isRunTree = (value) => value instanceof RunTree;

export const convertToDottedOrderFormat = (_, id) => ({
  dottedOrder: id,
  microsecondPrecisionDatestring: '',
});
