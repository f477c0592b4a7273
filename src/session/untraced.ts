import { BaseCallbackHandler } from '@langchain/core/callbacks/base';

/**
 * Stands where LangChain would put its tracer, by the name by which it looks for one. Where the environment asks for
 * traces (`LANGSMITH_TRACING`), LangChain adds a tracer that sends each step, with the material and the answers.
 */
class Untraced extends BaseCallbackHandler {
  readonly name = 'langchain_tracer';

  constructor() {
    super({
      ignoreLLM: true,
      ignoreChain: true,
      ignoreAgent: true,
      ignoreRetriever: true,
      ignoreCustomEvent: true,
    });
  }

  /** Called with the trace of a program around: it ends where our steps begin. */
  updateFromRunTree(): void {}

  /** The trace of a step, on which LangChain keeps the configuration of what the step calls. */
  getRunTreeWithTracingConfig(): object {
    return {};
  }
}

/** A part of the configuration of a graph: nothing of it is sent to LangSmith. */
export const untraced = { callbacks: [new Untraced()] };
