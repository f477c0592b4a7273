/** Tests, examples and what others wrote: read and listed after the rest. */
export const isAside = (path: string): boolean =>
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|testdata|fixtures|t|integration|e2e)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$|(?:^|\/)(?:examples?|docs?|vendor|third_party|deps)\//i.test(
    path,
  );
