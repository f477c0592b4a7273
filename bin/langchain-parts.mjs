// Replaces some 300 files that LangGraph loads through LangChain, but that conversations do not use; see bin/sonde.mjs.
// A function that is called after all loads the real module.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Deserialises an object of LangChain. */
export const load = async (...args) => (await import('@langchain/core/load')).load(...args);

/** Returns the JSON Schema of a graph's state, for drawings of the graph. */
export const toJsonSchema = (...args) => require('@langchain/core/utils/json_schema').toJsonSchema(...args);

// Stubs of LangSmith, a tracing service: no conversation is sent there, even if LANGSMITH_TRACING is set.
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
