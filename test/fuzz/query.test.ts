// @slow

import { expect, test } from "vitest";
import { fuzzQueries } from "./fuzzQueries.js";

test("20,000 damaged queries end in a result or in a problem of the client's, each within 50 ms", () => {
  const { accepted, refused } = fuzzQueries(20_261_121, 20_000);
  // A run that refuses everything, or finds one fault only, would say little.
  expect(accepted).toBeGreaterThan(500);
  expect([...refused.keys()]).toEqual(
    expect.arrayContaining([
      "400 UNKNOWN_FIELD",
      "400 INVALID_VALUE",
      "400 MALFORMED_QUERY",
      "400 QUERY_TOO_COMPLEX",
      "403 FORBIDDEN_FIELD",
      "414 URI_TOO_LONG",
    ]),
  );
});
