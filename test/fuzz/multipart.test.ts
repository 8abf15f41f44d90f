// @slow

import { expect, test } from "vitest";
import { fuzzForms } from "./fuzzMultipart.js";

test("5,000 damaged forms end in their parts or in a problem of the client's, however they come and are read", async () => {
  const { accepted, refused } = await fuzzForms(20_261_121, 5_000);
  // A run that refuses everything, or finds one fault only, would say little.
  expect(accepted).toBeGreaterThan(500);
  expect([...refused.keys()]).toEqual(
    expect.arrayContaining(["400 MALFORMED_MULTIPART", "400 MISSING_PART_NAME", "400 UNKNOWN_CHARSET", "413 FIELD_TOO_LARGE"]),
  );
});
