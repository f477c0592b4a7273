/** Whether a path is a test, an example or third-party code: these are read and listed last. */
export const isTestOrVendored = (path: string): boolean =>
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|testdata|fixtures|t|integration|e2e)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$|(?:^|\/)(?:examples?|docs?|vendor|third_party|deps)\//i.test(
    path,
  );
