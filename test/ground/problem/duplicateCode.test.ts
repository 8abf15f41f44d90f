import { expect, test } from "vitest";
import { duplicateCode } from "../../../src/ground/problem/index.js";

test.each([
  [["email"], "DUPLICATE_EMAIL"],
  [["externalId"], "DUPLICATE_EXTERNAL_ID"],
  [["userURL"], "DUPLICATE_USER_URL"],
  [["line2Total"], "DUPLICATE_LINE2_TOTAL"],
  [["snake_case"], "DUPLICATE_SNAKE_CASE"],
  [["aB1C"], "DUPLICATE_A_B1_C"],
  [["größeÜber"], "DUPLICATE_GRÖSSEÜBER"],
  [["tenantId", "email"], "DUPLICATE_TENANT_ID_EMAIL"],
  [["aVeryLongNameOfAFieldThatSomebodyMayHaveWrittenAllTheSame"], "DUPLICATE_A_VERY_LONG_NAME_OF_AFIELD_THAT_SOMEBODY_MAY_HAVE_WRITTEN_ALL_THE_SAME"],
])("a violation of the unique key %j has the code %s", (fields, code) => {
  expect(duplicateCode(fields)).toBe(code);
});
