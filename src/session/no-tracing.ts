import { BaseCallbackHandler } from '@langchain/core/callbacks/base';

/**
 * Replaces LangChain's tracer by its name. If the environment asks for traces (`LANGSMITH_TRACING`), LangChain adds a
 * tracer that sends each step, with the material and the answers.
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

  /** Ignores the trace of the surrounding program. */
  updateFromRunTree(): void {}

  /** LangChain stores the configuration of nested calls on this object. */
  getRunTreeWithTracingConfig(): object {
    return {};
  }
}

/** Configuration for graphs, so that nothing is sent to LangSmith. */
export const untraced = { callbacks: [new Untraced()] };
